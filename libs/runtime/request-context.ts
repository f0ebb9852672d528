import { context, createContextKey } from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';

/** Who waits for the outcome of what we do, and until when. It travels in the headers of every message (architecture, C). */
export interface Conversation {
  readonly requestId: string;
  /** The replica that holds the caller's connection. */
  readonly replyTo?: string;
  /** Milliseconds since the Unix epoch after which nobody waits any more. */
  readonly deadlineMs?: number;
}

const key = createContextKey('gsb.conversation');

/** The conversation that the running code is part of, if any. */
export const conversation = (): Conversation | undefined =>
  context.active().getValue(key) as Conversation | undefined;

/** The active context, or another one, with a conversation in it. */
export const withConversation = (current: Conversation, parent: Context = context.active()): Context =>
  parent.setValue(key, current);

/** Runs `fn` as part of a conversation. */
export const inConversation = <T>(current: Conversation, fn: () => T): T =>
  context.with(withConversation(current), fn);

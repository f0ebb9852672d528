import { context, createContextKey } from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';

/** Who waits for the outcome of what we do, and until when. It travels in the headers of every message (architecture, C). */
export interface RequestContext {
  readonly requestId: string;
  /** The replica that holds the caller's connection. */
  readonly replyTo?: string;
  /** Milliseconds since the Unix epoch after which nobody waits any more. */
  readonly deadlineMs?: number;
}

const key = createContextKey('gsb.conversation');

/** The conversation that the running code is part of, if any. */
export const requestContext = (): RequestContext | undefined =>
  context.active().getValue(key) as RequestContext | undefined;

/** The active context, or another one, with a conversation in it. */
export const withRequestContext = (current: RequestContext, parent: Context = context.active()): Context =>
  parent.setValue(key, current);

/** Runs `fn` as part of a conversation. */
export const inRequestContext = <T>(current: RequestContext, fn: () => T): T =>
  context.with(withRequestContext(current), fn);

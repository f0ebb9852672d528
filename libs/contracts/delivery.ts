import type { EventData, EventName } from './events.ts';

/** What an event carries for a caller that waits for its outcome: attributes of the message, passed on from event to event. */
export interface RequestAttributes {
  readonly requestId: string;
  /** The replica, and the place there, at which the caller waits. */
  readonly replyTo?: string;
  /** Milliseconds since the Unix epoch after which nobody waits any more. */
  readonly deadlineMs?: number;
}

/** What is known of a delivered event beside its data: its CloudEvents id and time (RFC 3339), its offset, and the request it belongs to. */
export interface EventMeta {
  readonly id: string;
  readonly time: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly request?: RequestAttributes;
}

/** `request`: the caller that waits for what follows from this event. `timeoutMs`: how long to wait for the log, where no deadline is nearer. */
export interface PublishOptions {
  readonly request?: RequestAttributes | undefined;
  readonly timeoutMs?: number;
}

/**
 * Resolves when the log has the event (acknowledged by all in-sync replicas). Refuses UNAVAILABLE when that takes longer than the
 * request's deadline or the timeout; whether the log gets it then is not known. Throws ZodError when the data does not match the contract.
 */
export type Publish = <N extends EventName>(
  name: N,
  data: EventData<N>,
  options?: PublishOptions,
) => Promise<void>;

import type { EventData, EventName } from './events.ts';

/** The caller that waits for the outcome of an event. Carried in message headers; a handler passes it on to the events that lead to the reply. */
export interface RequestAttributes {
  readonly requestId: string;
  /** The replica at which the caller waits, and the number of its request there. */
  readonly replyTo?: string;
  /** When the caller stops waiting, in milliseconds since the Unix epoch. */
  readonly deadlineMs?: number;
}

/** A delivered event's attributes beside its data: CloudEvents id and time (RFC 3339), position in the log, and the request it belongs to. */
export interface EventMeta {
  readonly id: string;
  readonly time: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly request?: RequestAttributes;
}

/** `request`: the caller that waits for the outcome. `timeoutMs`: how long to wait for the log, unless that caller's deadline is sooner. */
export interface PublishOptions {
  readonly request?: RequestAttributes | undefined;
  readonly timeoutMs?: number;
}

/**
 * Resolves when all in-sync replicas have acknowledged the event. Rejects with UNAVAILABLE when that takes longer than the request's
 * deadline or the timeout; the event may still be written then. Rejects with ZodError when the data does not match the contract.
 */
export type Publish = <N extends EventName>(
  name: N,
  data: EventData<N>,
  options?: PublishOptions,
) => Promise<void>;

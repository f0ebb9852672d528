import type { EventData, EventName } from './events.ts';

/** The caller that waits for the outcome of an event. Carried in message headers; a handler passes it on to the events that lead to the reply. */
export interface RequestAttributes {
  readonly requestId: string;
  /** The replica at which the caller waits, and the number of its request there. */
  readonly replyTo?: string;
  /** When the caller stops waiting, in milliseconds since the Unix epoch. */
  readonly deadlineMs?: number;
}

/** A delivered event's attributes beside its data: CloudEvents id and time (RFC 3339), position in the log, the request and the trace it belongs to. */
export interface EventMeta {
  readonly id: string;
  readonly time: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly request?: RequestAttributes;
  /** The W3C trace that it was published in. */
  readonly traceparent?: string;
}

/** An event as it was delivered; the name tells which. */
export type ReceivedEvent<N extends EventName = EventName> = {
  [K in N]: { readonly name: K; readonly data: EventData<K>; readonly meta: EventMeta };
}[N];

/** A handler of events that come in bundles: of all that one message brought. When it fails for good each is handled alone. */
export interface BundleHandler<N extends EventName> {
  readonly together: (events: readonly ReceivedEvent<N>[]) => Promise<void>;
  /** An event whose trace is kept is handled alone, in a span of that trace; the others have none. Without it, all are in one span that is linked to theirs. */
  readonly keepsTraces?: true;
}

/** `request`: the caller that waits for the outcome. `timeoutMs`: how long to wait for the log, unless that caller's deadline is sooner. */
export interface PublishOptions {
  readonly request?: RequestAttributes | undefined;
  readonly timeoutMs?: number;
  /** Nobody waits for what comes of it: it lingers for others of the next moments, to share a request with them. */
  readonly lingers?: true;
}

/**
 * Resolves when all in-sync replicas have acknowledged the event. Rejects with UNAVAILABLE when that takes longer than the request's
 * deadline or the timeout; the event may still be written then. Rejects with ZodError when the data is not of the kind that its contract says.
 */
export type Publish = <N extends EventName>(
  name: N,
  data: EventData<N>,
  options?: PublishOptions,
) => Promise<void>;

/** Data in wire form as our own store holds it, with the event's key: it is not parsed again. */
export interface Sealed {
  readonly key: string;
  readonly json: string;
}

/**
 * An event of many: its data, the caller that waits for its outcome, the headers of its trace where it has another one than the others, and
 * when it came about where that is not now (ms since the epoch).
 */
export interface Outgoing<N extends EventName> {
  readonly data: EventData<N> | Sealed;
  readonly request?: RequestAttributes | undefined;
  readonly trace?: Readonly<Record<string, string>>;
  readonly atMs?: number;
}

/** Events of one name and one partition that leave together later. */
export interface GatheredEvents<N extends EventName> {
  /** Whether there was room for it; the first one always has. It leaves later than it came about. */
  add(event: Outgoing<N> & { readonly atMs: number }): boolean;
  /** As `PublishAll`, once, for all of them: nothing is added afterwards. */
  publish(options?: Pick<PublishOptions, 'timeoutMs'>): Promise<void>;
}

/** Begins to gather events of a partition; undefined where it is not known. */
export type Gather = <N extends EventName>(name: N, partition: number | undefined) => GatheredEvents<N>;

/** As `Publish`, for many events of one name: resolves when all are acknowledged. Some may be written where it rejects. */
export type PublishAll = <N extends EventName>(
  name: N,
  events: readonly Outgoing<N>[],
  options?: Pick<PublishOptions, 'timeoutMs'>,
) => Promise<void>;

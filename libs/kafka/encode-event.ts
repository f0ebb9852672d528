import { randomUUID } from 'node:crypto';
import type { Outgoing, RequestAttributes, Sealed } from '#libs/contracts/delivery.ts';
import { ceType, events } from '#libs/contracts/events.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';
import { checkOf } from '#libs/contracts/kind-of.ts';
import type { Check } from '#libs/contracts/kind-of.ts';
import { toWire } from '#libs/contracts/wire.ts';
import { currentRequestId } from '#libs/runtime/request-context.ts';
import { injectTrace } from '#libs/runtime/tracing.ts';
import { placedBy } from './producer/partition-of-key.ts';
import type { Placed } from './producer/partition-of-key.ts';

/** An event as it is written to the log: CloudEvents 1.0 in the Kafka binary binding, with the attributes of the request beside it. */
export interface EncodedEvent extends Placed {
  readonly key: string;
  readonly value: string;
  readonly headers: Record<string, string>;
}

/** Events of one partition that are written into one message already (D-39). */
export interface WrittenEvents extends Placed {
  readonly key: null;
  readonly value: Buffer;
  readonly headers: Record<string, string>;
  /** How many they are. */
  readonly events: number;
}

/** An encoded event, or several in one message. */
export type Recorded = EncodedEvent | WrittenEvents;

/** What is for a topic, named as on the cluster. */
type OnTopic<R> = R & { readonly topic: string };
export type EncodedRecord = OnTopic<EncodedEvent>;
export type ProducerRecord = OnTopic<Recorded>;

/** How many events a record brings. */
export const eventsIn = (record: Recorded): number => ('events' in record ? record.events : 1);
/** How many events some records bring. */
export const countEvents = (records: readonly Recorded[]): number =>
  records.reduce((sum, record) => sum + eventsIn(record), 0);

/** The size of a record on the log. */
export const bytesOf = ({ key, value, headers }: Recorded): number => {
  let bytes = Buffer.byteLength(value) + (key?.length ?? 0);
  for (const name in headers) bytes += name.length + (headers[name]?.length ?? 0);
  return bytes;
};

interface Origin {
  readonly source: string;
  readonly nowMs: number;
}

const requestHeaders = (request: RequestAttributes | undefined): Record<string, string> => {
  const requestId = request?.requestId ?? currentRequestId();
  return {
    ...(requestId !== undefined && { gsb_request_id: requestId }),
    ...(request?.replyTo !== undefined && { gsb_reply_to: request.replyTo }),
    ...(request?.deadlineMs !== undefined && { gsb_deadline: String(request.deadlineMs) }),
  };
};

/** How an event's contract tells its place from its data. */
interface Placing<N extends EventName> {
  readonly key: (data: EventData<N>) => string;
  readonly pinnedBy?: (data: EventData<N>) => string;
}

const isOfKind = Object.fromEntries(
  Object.entries(events).map(([name, { data }]) => [name, checkOf(data)]),
) as Readonly<Record<EventName, Check>>;

const sealed = <N extends EventName>(
  name: N,
  data: EventData<N>,
): Sealed & { readonly pinnedBy?: string | undefined } => {
  const { key, pinnedBy } = events[name] as unknown as Placing<N>;
  const wire = toWire(data);
  const json = JSON.stringify(isOfKind[name](wire) ? wire : events[name].data.parse(wire));
  return { key: key(data), pinnedBy: pinnedBy?.(data), json };
};

/** Encodes an event, by default with the active trace in its headers. Throws ZodError when the data is not of the kind that its contract says (D-65). */
export const encodeEvent = <N extends EventName>(
  name: N,
  { data, request, trace = injectTrace(), atMs }: Outgoing<N>,
  { source, nowMs }: Origin,
): EncodedEvent => {
  const {
    key,
    pinnedBy,
    json: value,
  }: ReturnType<typeof sealed> = 'json' in data ? data : sealed(name, data);
  const headers = {
    ce_specversion: '1.0',
    ce_id: randomUUID(),
    ce_type: ceType(name),
    ce_source: source,
    ce_time: new Date(atMs ?? nowMs).toISOString(),
    ce_subject: key,
    'content-type': 'application/json',
    ...trace,
    ...requestHeaders(request),
  };
  return { key, ...placedBy(key, pinnedBy), value, headers };
};

import { randomUUID } from 'node:crypto';
import type { IHeaders, KafkaMessage } from 'kafkajs';
import type { RequestAttributes } from '#libs/contracts/delivery.ts';
import { ceType, events } from '#libs/contracts/events.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';
import { toWire } from '#libs/contracts/wire.ts';
import { currentRequestId } from '#libs/runtime/request-context.ts';
import { injectTrace } from '#libs/runtime/tracing.ts';

/** A message as it is written to the log: CloudEvents 1.0 in the Kafka binary binding, with the attributes of the request beside it. */
export interface Envelope {
  readonly key: string;
  readonly value: string;
  readonly headers: Record<string, string>;
}

/** A message as a consumer fetched it. */
export interface FetchedMessage {
  readonly topic: string;
  readonly partition: number;
  readonly message: KafkaMessage;
}

/** One name for a partition of a topic. */
export const partitionName = ({ topic, partition }: Pick<FetchedMessage, 'topic' | 'partition'>): string =>
  `${topic}#${partition}`;

interface Origin {
  readonly source: string;
  readonly nowMs: number;
  readonly request?: RequestAttributes | undefined;
}

const typePrefix = ceType('' as EventName);

const requestHeaders = (request: RequestAttributes | undefined): Record<string, string> => {
  const requestId = request?.requestId ?? currentRequestId();
  return {
    ...(requestId !== undefined && { gsb_request_id: requestId }),
    ...(request?.replyTo !== undefined && { gsb_reply_to: request.replyTo }),
    ...(request?.deadlineMs !== undefined && { gsb_deadline: String(request.deadlineMs) }),
  };
};

/** Encodes an event as a message, with the active trace in its headers. Throws ZodError when the data does not match the contract. */
export const encodeEvent = <N extends EventName>(
  name: N,
  data: EventData<N>,
  { source, nowMs, request }: Origin,
): Envelope => {
  const contract = events[name];
  const key = (contract.key as (data: EventData<N>) => string)(data);
  const headers = {
    ce_specversion: '1.0',
    ce_id: randomUUID(),
    ce_type: ceType(name),
    ce_source: source,
    ce_time: new Date(nowMs).toISOString(),
    ce_subject: key,
    'content-type': 'application/json',
    ...injectTrace(),
    ...requestHeaders(request),
  };
  return { key, value: JSON.stringify(contract.data.parse(toWire(data))), headers };
};

/** The headers of a message as text; of a repeated header the first value. */
export const textHeaders = (headers: IHeaders | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers ?? {}).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value;
      return first === undefined ? [] : [[name, first.toString()]];
    }),
  );

/** The name of the event in a message, from its CloudEvents type without our prefix; undefined without a type. */
export const eventNameOf = (message: KafkaMessage): string | undefined => {
  const type = message.headers?.['ce_type']?.toString();
  return type?.startsWith(typePrefix) ? type.slice(typePrefix.length) : type;
};

/** The request that a message belongs to, if any. */
export const requestOf = (headers: Readonly<Record<string, string>>): RequestAttributes | undefined => {
  const { gsb_request_id: requestId, gsb_reply_to: replyTo, gsb_deadline: deadline } = headers;
  if (requestId === undefined) return undefined;
  const deadlineMs = Number(deadline);
  return {
    requestId,
    ...(replyTo !== undefined && { replyTo }),
    ...(deadline !== undefined && Number.isSafeInteger(deadlineMs) && { deadlineMs }),
  };
};

import { randomUUID } from 'node:crypto';
import type { IHeaders, KafkaMessage } from 'kafkajs';
import { ceType, events } from '#libs/contracts/events.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';
import { toWire } from '#libs/contracts/wire.ts';
import { requestContext } from '#libs/runtime/request-context.ts';
import type { RequestContext } from '#libs/runtime/request-context.ts';
import { injectTrace } from '#libs/runtime/tracing.ts';

/** A message as it goes to the log: CloudEvents 1.0 in the Kafka binary binding, with our conversation beside it. */
export interface Envelope {
  readonly key: string;
  readonly value: string;
  readonly headers: Record<string, string>;
}

/** A message as it was fetched. */
export interface FetchedMessage {
  readonly topic: string;
  readonly partition: number;
  readonly message: KafkaMessage;
}

/** One name for a partition of a topic. */
export const partitionName = ({ topic, partition }: Pick<FetchedMessage, 'topic' | 'partition'>): string =>
  `${topic}#${partition}`;

interface EventSource {
  readonly source: string;
  readonly nowMs: number;
}

const typePrefix = ceType('' as EventName);

const conversationHeaders = (current: RequestContext | undefined): Record<string, string> => ({
  ...(current && { gsb_request_id: current.requestId }),
  ...(current?.replyTo !== undefined && { gsb_reply_to: current.replyTo }),
  ...(current?.deadlineMs !== undefined && { gsb_deadline: String(current.deadlineMs) }),
});

/** Puts an event in its envelope, with the active trace and conversation. Throws ZodError when the data is not as the contract says. */
export const encodeEvent = <N extends EventName>(
  name: N,
  data: EventData<N>,
  { source, nowMs }: EventSource,
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
    ...conversationHeaders(requestContext()),
  };
  return { key, value: JSON.stringify(contract.data.parse(toWire(data))), headers };
};

/** The headers of a message as text; of a repeated one the first counts. */
export const textHeaders = (headers: IHeaders | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers ?? {}).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value;
      return first === undefined ? [] : [[name, first.toString()]];
    }),
  );

/** The event that a message says it is: its CloudEvents type without our prefix; undefined without a type. */
export const eventNameOf = (message: KafkaMessage): string | undefined => {
  const type = message.headers?.['ce_type']?.toString();
  return type?.startsWith(typePrefix) ? type.slice(typePrefix.length) : type;
};

/** The conversation that a message belongs to, if it came from one. */
export const requestContextOf = (headers: Readonly<Record<string, string>>): RequestContext | undefined => {
  const { gsb_request_id: requestId, gsb_reply_to: replyTo, gsb_deadline: deadline } = headers;
  if (requestId === undefined) return undefined;
  const deadlineMs = Number(deadline);
  return {
    requestId,
    ...(replyTo !== undefined && { replyTo }),
    ...(deadline !== undefined && Number.isSafeInteger(deadlineMs) && { deadlineMs }),
  };
};

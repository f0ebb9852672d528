import { randomUUID } from 'node:crypto';
import type { Outgoing, RequestAttributes, Sealed } from '#libs/contracts/delivery.ts';
import { ceType, events } from '#libs/contracts/events.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';
import { toWire } from '#libs/contracts/wire.ts';
import { currentRequestId } from '#libs/runtime/request-context.ts';
import { injectTrace } from '#libs/runtime/tracing.ts';

/** An event as it is written to the log: CloudEvents 1.0 in the Kafka binary binding, with the attributes of the request beside it. */
export interface EncodedEvent {
  readonly key: string;
  readonly value: string;
  readonly headers: Record<string, string>;
}

/** The size of an event on the log. */
export const bytesOf = ({ key, value, headers }: EncodedEvent): number =>
  Buffer.byteLength(value) +
  key.length +
  Object.entries(headers).reduce((sum, [name, text]) => sum + name.length + text.length, 0);

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

const sealed = <N extends EventName>(name: N, data: EventData<N>): Sealed => {
  const contract = events[name];
  const key = (contract.key as (data: EventData<N>) => string)(data);
  return { key, json: JSON.stringify(contract.data.parse(toWire(data))) };
};

/** Encodes an event, by default with the active trace in its headers. Throws ZodError when the data does not match the contract. */
export const encodeEvent = <N extends EventName>(
  name: N,
  { data, request, trace = injectTrace(), atMs }: Outgoing<N>,
  { source, nowMs }: Origin,
): EncodedEvent => {
  const { key, json: value } = 'json' in data ? data : sealed(name, data);
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
  return { key, value, headers };
};

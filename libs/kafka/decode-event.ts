import { z } from 'zod';
import type { ReceivedEvent } from '#libs/contracts/delivery.ts';
import { events } from '#libs/contracts/events.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import { eventNameOf, requestOf, textHeader } from './fetched-message.ts';
import type { FetchedMessage } from './fetched-message.ts';

/** A message that is not one of our events, or does not match its contract. The error names the field, never its value. */
export class UnreadableMessage extends Error {
  override readonly name = 'Unreadable';
}

/** Whether a message carries one of these events. One without any name is wanted too: decoding it fails, and it becomes a dead letter. */
export const isWanted = (names: ReadonlySet<string>, { message }: FetchedMessage): boolean => {
  const name = eventNameOf(message);
  return name === undefined || names.has(name);
};

const reasonOf = (error: unknown): string => {
  if (error instanceof z.ZodError) return z.prettifyError(error);
  return error instanceof SyntaxError ? 'the value is not JSON' : 'the value could not be parsed';
};

/** The data of an event with this name. Throws UnreadableMessage. */
export const decodeValue = (name: EventName, value: Buffer | null): EventData<EventName> => {
  try {
    const json: unknown = JSON.parse(value?.toString() ?? '');
    return fromWire(events[name].data as z.ZodType, json) as EventData<EventName>;
  } catch (error) {
    throw new UnreadableMessage(reasonOf(error));
  }
};

/** The event in a message, with its name and what is known of its delivery. Throws UnreadableMessage. */
export const decodeEvent = ({ topic, partition, message }: FetchedMessage): ReceivedEvent => {
  const name = eventNameOf(message);
  if (name === undefined || !(name in events))
    throw new UnreadableMessage('the type (ce_type) is missing or unknown');
  const data = decodeValue(name as EventName, message.value);
  const { headers } = message;
  const request = requestOf(headers);
  const traceparent = textHeader(headers, 'traceparent');
  const meta = {
    id: textHeader(headers, 'ce_id') ?? '',
    time: textHeader(headers, 'ce_time') ?? '',
    topic,
    partition,
    offset: message.offset,
    ...(request && { request }),
    ...(traceparent !== undefined && { traceparent }),
  };
  return { name, data, meta } as ReceivedEvent;
};

/** What `decode` returns, or undefined for a message that cannot be decoded. */
export const ifReadable = <T>(decode: () => T): T | undefined => {
  try {
    return decode();
  } catch (error) {
    if (error instanceof UnreadableMessage) return undefined;
    throw error;
  }
};

/** As `decodeEvent`; undefined for a message that cannot be decoded. */
export const tryDecodeEvent = (fetched: FetchedMessage): ReceivedEvent | undefined =>
  ifReadable(() => decodeEvent(fetched));

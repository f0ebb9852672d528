import { z } from 'zod';
import type { EventMeta } from '#libs/contracts/delivery.ts';
import { events } from '#libs/contracts/events.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import { eventNameOf, requestOf, textHeaders } from './encode-event.ts';
import type { FetchedMessage } from './encode-event.ts';

/** An event as it was delivered; the name tells which. */
export type ReceivedEvent<N extends EventName = EventName> = {
  [K in N]: { readonly name: K; readonly data: EventData<K>; readonly meta: EventMeta };
}[N];

/** A message is not an event of ours, or not as its contract says; the message tells where, never the value. */
export class UnreadableMessage extends Error {
  override readonly name = 'Unreadable';
}

/** Whether the message is to be read: it states one of these names, or none at all, which reading will complain about. */
export const isWanted = (names: ReadonlySet<string>, { message }: FetchedMessage): boolean => {
  const name = eventNameOf(message);
  return name === undefined || names.has(name);
};

const parseJson = (value: Buffer | null): unknown => {
  try {
    return JSON.parse(value?.toString() ?? '');
  } catch {
    throw new UnreadableMessage('the value is not JSON');
  }
};

/** What an event of this name says. Throws Unreadable. */
export const decodeValue = (name: EventName, value: Buffer | null): EventData<EventName> => {
  try {
    return fromWire(events[name].data as z.ZodType, parseJson(value)) as EventData<EventName>;
  } catch (error) {
    if (error instanceof UnreadableMessage) throw error;
    throw new UnreadableMessage(
      error instanceof z.ZodError ? z.prettifyError(error) : 'the value could not be parsed',
    );
  }
};

/** The event in a message, with its name and what is known of its delivery. Throws UnreadableMessage. */
export const decodeEvent = ({ topic, partition, message }: FetchedMessage): ReceivedEvent => {
  const name = eventNameOf(message);
  if (name === undefined || !(name in events))
    throw new UnreadableMessage('the type (ce_type) is missing or unknown');
  const data = decodeValue(name as EventName, message.value);
  const headers = textHeaders(message.headers);
  const { ce_id: id = '', ce_time: time = '' } = headers;
  const request = requestOf(headers);
  const meta = { id, time, topic, partition, offset: message.offset, ...(request && { request }) };
  return { name, data, meta } as ReceivedEvent;
};

/** As `decodeEvent`; undefined for a message that cannot be read. */
export const tryDecodeEvent = (fetched: FetchedMessage): ReceivedEvent | undefined => {
  try {
    return decodeEvent(fetched);
  } catch (error) {
    if (error instanceof UnreadableMessage) return undefined;
    throw error;
  }
};

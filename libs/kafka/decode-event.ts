import { z } from 'zod';
import { events } from '#libs/contracts/events.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import { eventNameOf, textHeaders } from './envelope.ts';
import type { FetchedMessage } from './envelope.ts';

/** What is known of an event beside what it says: its CloudEvents id and time (RFC 3339), and where it stands in the log. */
export interface EventMeta {
  readonly id: string;
  readonly time: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
}

/** An event as it came, told apart by its name. */
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

/** Opens a message: the event with its name and what is known of it. Throws Unreadable. */
export const decodeEvent = ({ topic, partition, message }: FetchedMessage): ReceivedEvent => {
  const name = eventNameOf(message);
  if (name === undefined || !(name in events))
    throw new UnreadableMessage('the type (ce_type) is missing or unknown');
  const data = decodeValue(name as EventName, message.value);
  const { ce_id: id = '', ce_time: time = '' } = textHeaders(message.headers);
  return { name, data, meta: { id, time, topic, partition, offset: message.offset } } as ReceivedEvent;
};

/** As `open`; undefined for a message that cannot be read. */
export const tryDecodeEvent = (fetched: FetchedMessage): ReceivedEvent | undefined => {
  try {
    return decodeEvent(fetched);
  } catch (error) {
    if (error instanceof UnreadableMessage) return undefined;
    throw error;
  }
};

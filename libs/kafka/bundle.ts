import type { IHeaders, KafkaMessage } from 'kafkajs';
import { ceType, comesInBundles, events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import { bytesOf } from './encode-event.ts';
import type { EncodedEvent, Recorded } from './encode-event.ts';
import { textHeader } from './fetched-message.ts';
import type { FetchedMessage } from './fetched-message.ts';
import type { PlacedMessage } from './producer/partition-leaders.ts';

/** The media type of a message that carries several events of one name (D-39). */
export const bundleType = 'application/vnd.gsb.bundle+json';
const typeHeader = 'content-type';
const subjectHeader = 'ce_subject';
/** The attributes that all events of a bundle have in common: they stand in the headers of the message. */
const common: ReadonlySet<string> = new Set(['ce_specversion', 'ce_type', 'ce_source', typeHeader]);
/** What does not stand in a line's headers: undefined, so that JSON leaves it out. */
const elsewhere = Object.fromEntries([...common, subjectHeader].map((name) => [name, undefined]));
/** Bounds of one bundle. */
export const mostInBundle = { events: 500, bytes: 262_144 };
/** What stands before the first line of a bundle, between two, and behind the last one. */
export const bundleFrame = { opens: '{"events":[\n', between: ',\n', closes: '\n]}' };

const bundledTypes: ReadonlySet<string | undefined> = new Set(
  (Object.keys(events) as EventName[]).filter(comesInBundles).map(ceType),
);

/** Events of one name that go into one message. */
interface Bundle<E> {
  readonly carried: E[];
  /** Undefined: one event alone, for the partition of its key. */
  readonly partition: number | undefined;
  /** Its place among the messages. */
  readonly place: number;
  bytes: number;
}

/** Where an event goes: its partition; undefined where none is known, so that it goes alone. */
type PartitionOf<E> = (event: E) => number | undefined;

/** One event a line, its data last: a line is taken apart without parsing the data. Its subject is its key. */
export const lineOf = ({ key, value, headers }: EncodedEvent): string =>
  `{"key":${JSON.stringify(key)},"headers":${JSON.stringify({ ...headers, ...elsewhere })},"data":${value}}`;

/** The headers of a bundle that begins with an event of these. */
export const bundleHeaders = (first: EncodedEvent['headers']): Record<string, string> => {
  const shared = Object.entries(first).filter(([name]) => common.has(name));
  const { ce_id: firstId = '', ce_time: time = '' } = first;
  const own = { ce_id: `${firstId}.bundle`, ce_time: time, [typeHeader]: bundleType };
  return { ...Object.fromEntries(shared), ...own };
};

const messageOf = ({ carried, partition }: Bundle<Recorded>): PlacedMessage => {
  const [first] = carried as [Recorded];
  if (carried.length === 1) {
    const { key, keyHash, pin, queuedIn, value, headers } = first;
    return { key, keyHash, pin, queuedIn, value, headers };
  }
  // What is written already shares its message with no others.
  const lines = (carried as readonly EncodedEvent[]).map(lineOf).join(bundleFrame.between);
  const value = `${bundleFrame.opens}${lines}${bundleFrame.closes}`;
  const headers = bundleHeaders(first.headers);
  return { key: null, value, headers, ...(partition !== undefined && { partition }) };
};

/** Whether an event keeps a bundle within its bounds. */
const hasRoomFor = <E>({ carried, bytes }: Bundle<E>, more: number): boolean =>
  carried.length < mostInBundle.events && bytes + more < mostInBundle.bytes;

/**
 * The messages that carry events of one topic, each with its events: those of a name that comes in bundles share one for each partition. A
 * bundle never overtakes an event of one of its keys.
 */
export const messagesOf = <E extends Recorded>(
  found: readonly E[],
  partitionOf: PartitionOf<E>,
): Map<PlacedMessage, readonly E[]> => {
  const bundles: Bundle<E>[] = [];
  const open = new Map<string, Bundle<E>>();
  const lastOfKey = new Map<string, number>();
  for (const event of found) {
    if (event.key === null) {
      bundles.push({ carried: [event], partition: undefined, place: bundles.length, bytes: 0 });
      // Whose events are in it is not told: what comes later goes behind it.
      open.clear();
      continue;
    }
    const type = event.headers['ce_type'];
    const partition = bundledTypes.has(type) ? partitionOf(event) : undefined;
    const name = `${type} ${partition}`;
    const last = open.get(name);
    const bytes = bytesOf(event);
    const joins =
      last !== undefined && last.place >= (lastOfKey.get(event.key) ?? 0) && hasRoomFor(last, bytes);
    const bundle: Bundle<E> = joins ? last : { carried: [], partition, place: bundles.length, bytes: 0 };
    if (!joins) bundles.push(bundle);
    if (partition !== undefined) open.set(name, bundle);
    bundle.carried.push(event);
    bundle.bytes += bytes;
    lastOfKey.set(event.key, bundle.place);
  }
  return new Map(bundles.map((bundle) => [messageOf(bundle), bundle.carried]));
};

const dataMark = ',"data":';
const [lineBreak, closingBrace] = [0x0a, 0x7d];

/** A line without its data, as it has to be. */
interface LineHead {
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Anybody who may write on a topic can put any JSON into a line. */
const isLineHead = (head: unknown): head is LineHead => {
  if (typeof head !== 'object' || head === null) return false;
  const { key, headers } = head as Record<string, unknown>;
  if (typeof key !== 'string' || typeof headers !== 'object' || headers === null) return false;
  for (const name in headers)
    if (typeof (headers as Record<string, unknown>)[name] !== 'string') return false;
  return true;
};

/** The event of a line, as a message of its own at the bundle's place in the log. Its value is a part of the bundle's. Throws where it is none. */
const eventOf = (line: Buffer, message: KafkaMessage, shared: IHeaders): KafkaMessage => {
  const dataAt = line.indexOf(dataMark);
  const head: unknown = JSON.parse(`${line.toString('utf8', 0, dataAt)}}`);
  if (!isLineHead(head)) throw new TypeError('a line of a bundle is no event');
  const { key, headers } = head;
  const value = line.subarray(dataAt + dataMark.length, line.lastIndexOf(closingBrace));
  // What the message says is said of each line: its type decides who handles it, and how.
  const all = { ...headers, ...shared, [subjectHeader]: key };
  return { ...message, key: Buffer.from(key), headers: all, value } as KafkaMessage;
};

/** The lines between the first and the last one. */
const linesOf = (value: Buffer): Buffer[] => {
  const lines: Buffer[] = [];
  let from = value.indexOf(lineBreak) + 1;
  for (let to = value.indexOf(lineBreak, from); from > 0 && to >= 0; to = value.indexOf(lineBreak, from)) {
    lines.push(value.subarray(from, to));
    from = to + 1;
  }
  return lines;
};

/** What all events of a bundle have in common, as text: it is made once and read for each of them. */
const sharedHeaders = ({ headers }: KafkaMessage): IHeaders => {
  const shared: IHeaders = {};
  for (const name of common) {
    const text = textHeader(headers, name);
    if (text !== undefined) shared[name] = text;
  }
  return { ...shared, [typeHeader]: 'application/json' };
};

const unbundle = (message: KafkaMessage): readonly KafkaMessage[] => {
  if (message.value === null || textHeader(message.headers, typeHeader) !== bundleType) return [message];
  const shared = sharedHeaders(message);
  if (shared['ce_type'] === undefined) return [message];
  try {
    const lines = linesOf(message.value);
    return lines.length === 0 ? [message] : lines.map((line) => eventOf(line, message, shared));
  } catch {
    return [message];
  }
};

/** The events of a message, as messages: of a bundle its events; any other message, and a bundle that cannot be taken apart, itself. */
export const unbundled = ({ topic, partition, message }: FetchedMessage): readonly FetchedMessage[] =>
  unbundle(message).map((each) => ({ topic, partition, message: each }));

import type { IHeaders, KafkaMessage, Message } from 'kafkajs';
import { ceType, events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import type { EncodedEvent } from './encode-event.ts';
import type { FetchedMessage } from './fetched-message.ts';

/** The media type of a message that carries several events of one name (D-39). */
export const bundleType = 'application/vnd.gsb.bundle+json';
const typeHeader = 'content-type';
/** The attributes that all events of a bundle have in common: they stand in the headers of the message. */
const common: ReadonlySet<string> = new Set(['ce_specversion', 'ce_type', 'ce_source', typeHeader]);
/** Bounds of one bundle. */
const maxEvents = 500;
const maxBytes = 262_144;

const bundledTypes: ReadonlySet<string | undefined> = new Set(
  (Object.keys(events) as EventName[]).filter((name) => 'inBundles' in events[name]).map(ceType),
);

/** Events of one name for one partition, and the message that is to carry them. */
interface Bundle<E> {
  readonly events: E[];
  bytes: number;
}

/** Where an event goes: its partition; undefined where none is known, so that it goes alone. */
type PartitionOf<E> = (event: E) => number | undefined;

/** One event a line, its data last: a line is taken apart without parsing the data. */
const lineOf = ({ key, value, headers }: EncodedEvent): string => {
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !common.has(name)));
  return `{"key":${JSON.stringify(key)},"headers":${JSON.stringify(own)},"data":${value}}`;
};

const messageOf = <E extends EncodedEvent>(
  { events: found }: Bundle<E>,
  partition: number | undefined,
): Message => {
  const [first] = found as [E];
  if (found.length === 1) return { key: first.key, value: first.value, headers: first.headers };
  const shared = Object.entries(first.headers).filter(([name]) => common.has(name));
  const { ce_id: firstId = '', ce_time: time = '' } = first.headers;
  const own = { ce_id: `${firstId}.bundle`, ce_time: time, [typeHeader]: bundleType };
  const headers = { ...Object.fromEntries(shared), ...own };
  const value = `{"events":[\n${found.map(lineOf).join(',\n')}\n]}`;
  return { key: null, value, headers, ...(partition !== undefined && { partition }) };
};

/** Whether an event fits into a bundle, behind all earlier events of its key. */
const takes = <E extends EncodedEvent>({ events: found, bytes }: Bundle<E>, event: E): boolean =>
  found.length < maxEvents && bytes + event.value.length < maxBytes;

/**
 * The messages that carry events of one topic, each with its events: those of a name that comes in bundles share one for each partition. A
 * bundle never overtakes an event of one of its keys.
 */
export const messagesOf = <E extends EncodedEvent>(
  found: readonly E[],
  partitionOf: PartitionOf<E>,
): Map<Message, readonly E[]> => {
  const bundles: { bundle: Bundle<E>; partition: number | undefined }[] = [];
  const open = new Map<string, number>();
  const lastOfKey = new Map<string, number>();
  for (const event of found) {
    const type = event.headers['ce_type'];
    const partition = bundledTypes.has(type) ? partitionOf(event) : undefined;
    const name = `${type} ${partition}`;
    const at = partition === undefined ? undefined : open.get(name);
    const bundle = at === undefined ? undefined : bundles[at]?.bundle;
    if (bundle && at !== undefined && at >= (lastOfKey.get(event.key) ?? 0) && takes(bundle, event)) {
      bundle.events.push(event);
      bundle.bytes += event.value.length;
      lastOfKey.set(event.key, at);
      continue;
    }
    bundles.push({ bundle: { events: [event], bytes: event.value.length }, partition });
    lastOfKey.set(event.key, bundles.length - 1);
    if (partition !== undefined) open.set(name, bundles.length - 1);
  }
  return new Map(bundles.map(({ bundle, partition }) => [messageOf(bundle, partition), bundle.events]));
};

const dataMark = ',"data":';

/** The event of a line, as a message of its own at the bundle's place in the log. */
const eventOf = (line: string, message: KafkaMessage, shared: IHeaders): KafkaMessage => {
  const dataAt = line.indexOf(dataMark);
  const { key, headers } = JSON.parse(`${line.slice(0, dataAt)}}`) as { key: string; headers: IHeaders };
  const value = Buffer.from(line.slice(dataAt + dataMark.length, line.lastIndexOf('}')));
  return { ...message, key: Buffer.from(key), headers: { ...shared, ...headers }, value } as KafkaMessage;
};

const unbundle = (message: KafkaMessage): readonly KafkaMessage[] => {
  if (message.value === null || message.headers?.[typeHeader]?.toString() !== bundleType) return [message];
  const inCommon = Object.entries(message.headers).filter(([name]) => common.has(name));
  const shared = { ...Object.fromEntries(inCommon), [typeHeader]: 'application/json' };
  try {
    const lines = message.value.toString().split('\n').slice(1, -1);
    return lines.map((line) => eventOf(line, message, shared));
  } catch {
    return [message];
  }
};

/** The events of a message, as messages: of a bundle its events; any other message, and a bundle that cannot be taken apart, itself. */
export const unbundled = ({ topic, partition, message }: FetchedMessage): readonly FetchedMessage[] =>
  unbundle(message).map((each) => ({ topic, partition, message: each }));

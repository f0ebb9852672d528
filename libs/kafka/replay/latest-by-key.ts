import { events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import type { KafkaConnection } from '../connection.ts';
import { eventNameOf } from '../fetched-message.ts';
import type { FetchedMessage } from '../fetched-message.ts';
import { decodeValue, ifReadable } from '../decode-event.ts';
import type { ReceivedEvent } from '../decode-event.ts';
import { withLogReader } from './log-reader.ts';

/** The version comes first in every record that has one: it is found without parsing messages that a newer one replaces anyway. */
const versionField = /"version":(\d+)/;
const versionWithinBytes = 64;

/** The wanted events, and how long before the newest message of their topics to begin, in ms. */
export interface LatestByKeyOptions<N extends EventName> {
  readonly kafka: KafkaConnection;
  readonly names: readonly N[];
  readonly windowMs: number;
  readonly signal?: AbortSignal;
}

/** An event without its place in the log. */
export type LoggedEvent<N extends EventName> = Pick<ReceivedEvent<N>, 'name' | 'data'>;

interface Latest {
  readonly name: EventName;
  readonly version: number;
  /** A copy: the value of a fetched message keeps the whole fetch in memory. */
  readonly value: Buffer;
}

const versionOf = (value: Buffer): number =>
  Number(versionField.exec(value.toString('latin1', 0, versionWithinBytes))?.[1] ?? 0);

/** Without the messages that cannot be decoded: the consumers of the topic make dead letters of them. */
const decoded = ({ name, value }: Latest) => {
  const data = ifReadable(() => decodeValue(name, value));
  return data === undefined ? [] : [{ name, data }];
};

/** The latest event of each key in the window: the one with the highest version, or else the last. Rejects when the log cannot be read. */
export const latestByKey = async <N extends EventName>({
  names,
  windowMs,
  ...log
}: LatestByKeyOptions<N>): Promise<LoggedEvent<N>[]> => {
  const latest = new Map<string, Latest>();
  const wanted: ReadonlySet<string | undefined> = new Set(names);
  const keep = ({ message }: FetchedMessage): void => {
    const { key, value } = message;
    const name = eventNameOf(message) as EventName;
    if (value === null || !wanted.has(name)) return;
    const id = key?.toString('latin1') ?? '';
    const version = versionOf(value);
    if (version >= (latest.get(id)?.version ?? 0))
      latest.set(id, { name, version, value: Buffer.from(value) });
  };
  const topics = [...new Set(names.map((name) => events[name].topic))];
  await withLogReader({ ...log, topics }, async (reader) =>
    reader.read(await reader.newestRanges(windowMs), (messages) => messages.forEach(keep)),
  );
  return [...latest.values()].flatMap(decoded) as unknown as LoggedEvent<N>[];
};

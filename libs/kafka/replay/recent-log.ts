import type { EventName } from '#libs/contracts/events.ts';
import type { KafkaConnection } from '../connection.ts';
import { eventNameOf, partitionName } from '../fetched-message.ts';
import type { FetchedMessage } from '../fetched-message.ts';
import { decodeValue, ifReadable } from '../decode-event.ts';
import type { ReceivedEvent } from '#libs/contracts/delivery.ts';
import { topicsOf } from '../topics-of.ts';
import { withLogReader } from './log-reader.ts';
import type { LogReader } from './log-reader.ts';
import type { OffsetRange } from './offset-ranges.ts';

/** How many events are held at once, about; how many a message carries is not known before it has been read. */
const heldEvents = 10_000;
/** Bounds of a window of offsets, and the first one: of bundles it holds 50,000 events at most. */
const offsetsAtOnce = { first: 100, least: 20, most: 10_000 };
const batchEvents = 500;
/** How many batches are handled while the next ones are decoded. */
const maxBatchesInHand = 3;
/** So many events of a key that cannot be decoded are passed over in one window; a flood of them is not worth more. */
const maxRereads = 5;

/** The version is found without parsing messages that a newer one replaces anyway: near the beginning, except in records of older versions. A quote within a value has a backslash before it. */
const versionField = /"version":(\d+)/;
/** What happens to nothing that has versions, as to a launcher, happens at an instant, and may be published in another order (D-36). */
const instantField = /"at_ms":(\d+)/;
const versionWithinBytes = 64;

/** An event without its place in the log. */
export type LoggedEvent<N extends EventName> = Pick<ReceivedEvent<N>, 'name' | 'data'>;
/** Receives at most 500 events of different keys. */
type OnEvents<N extends EventName> = (events: readonly LoggedEvent<N>[]) => Promise<void>;
/** The offsets behind the last messages that were read, by the name of the partition. */
export type Ends = ReadonlyMap<string, number>;

/** What was written lately, a partition at a time and in bounded memory. */
export interface RecentLog<N extends EventName> {
  /** The names of the partitions. */
  readonly parts: readonly string[];
  /** Delivers the latest event of each key in these partitions: a final one, else the one with the highest version, or instant where there is none, else the last. An older one may come after it. */
  latest(parts: readonly string[], onEvents: OnEvents<N>): Promise<void>;
  /** Where the partitions end, as far as they are read by `latest`. */
  readonly ends: Ends;
}

/** The wanted events, and how long before the newest message of their topics to begin, in ms. */
export interface RecentLogOptions<N extends EventName> {
  readonly kafka: KafkaConnection;
  readonly names: readonly N[];
  /** Those after which nothing comes, whatever version it has: a store that was lost may have given a later one to what it wrote last. */
  readonly finals?: readonly N[];
  readonly windowMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface Latest {
  readonly key: string;
  readonly topic: string;
  readonly offset: string;
  readonly name: EventName;
  /** By which the latest is chosen. */
  readonly rank: number;
  /** A copy: the value of a fetched message keeps the whole fetch in memory. */
  readonly value: Buffer;
}

/** Where a key's event stands; events of a bundle share one place. */
const placeOf = ({ topic, offset }: Pick<Latest, 'topic' | 'offset'>): string => `${topic} ${offset}`;

/** Above every version and instant. */
const finalRank = 2 ** 50;

/** The version, else the instant in ms since the epoch, else 0. */
const orderOf = (value: Buffer): number => {
  const first = versionField.exec(value.toString('latin1', 0, versionWithinBytes));
  if (first) return Number(first[1]);
  const text = value.toString('latin1');
  return Number((versionField.exec(text) ?? instantField.exec(text))?.[1] ?? 0);
};

/** The event, or undefined for one that cannot be decoded: the consumers of the topic make a dead letter of it. */
const decoded = ({ name, value }: Latest) => {
  const data = ifReadable(() => decodeValue(name, value));
  return data && { name, data };
};

interface Known {
  readonly names: ReadonlySet<string | undefined>;
  readonly finals: ReadonlySet<string | undefined>;
  /** The rank of the latest event of each key so far. */
  readonly seen: Map<string, number>;
  /** Of these keys, what is not at these places; all keys where it is undefined. */
  readonly behind?: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Reads ranges; resolves to the latest event of each key in them that is newer than those in `seen`, and notes them there. */
const newerIn = async (
  reader: LogReader,
  ranges: readonly OffsetRange[],
  { names, finals, seen, behind }: Known,
): Promise<{ readonly latest: readonly Latest[]; readonly count: number }> => {
  const latest = new Map<string, Latest>();
  let count = 0;
  const keep = ({ topic, message }: FetchedMessage): void => {
    const { key: bytes, value, offset } = message;
    const name = eventNameOf(message) as EventName;
    if (value === null || !names.has(name)) return;
    const key = bytes?.toString('latin1') ?? '';
    if (behind && behind.get(key)?.has(placeOf({ topic, offset })) !== false) return;
    const rank = orderOf(value) + (finals.has(name) ? finalRank : 0);
    if (rank <= (seen.get(key) ?? -1) || rank < (latest.get(key)?.rank ?? 0)) return;
    latest.set(key, { key, topic, offset, name, rank, value: Buffer.from(value) });
  };
  await reader.read(ranges, (messages) => {
    count += messages.length;
    messages.forEach(keep);
  });
  for (const { key, rank } of latest.values()) seen.set(key, rank);
  return { latest: [...latest.values()], count };
};

/** Hands events on in batches, a few of them at once, and gives back those that cannot be decoded; `done` resolves when all have been handled, and rejects when one failed. */
const inBatches = <N extends EventName>(onEvents: OnEvents<N>) => {
  const inHand = new Set<Promise<void>>();
  let failed: { readonly error: unknown } | undefined;
  const throwIfFailed = (): void => {
    if (failed) throw failed.error;
  };
  const handle = async (found: readonly Latest[]): Promise<Latest[]> => {
    const events = found.map(decoded);
    const batch = events.filter((event) => event !== undefined) as unknown as LoggedEvent<N>[];
    const work: Promise<void> = onEvents(batch)
      .catch((error: unknown) => void (failed ??= { error }))
      .finally(() => inHand.delete(work));
    inHand.add(work);
    // The event loop turns between two batches, so that the reader's heartbeats are sent.
    await (inHand.size >= maxBatchesInHand
      ? Promise.race(inHand)
      : new Promise((resolve) => setImmediate(resolve)));
    throwIfFailed();
    return found.filter((_, at) => events[at] === undefined);
  };
  return {
    add: async (found: readonly Latest[]): Promise<readonly Latest[]> => {
      const unreadable: Latest[] = [];
      for (let at = 0; at < found.length; at += batchEvents)
        unreadable.push(...(await handle(found.slice(at, at + batchEvents))));
      return unreadable;
    },
    done: async () => {
      await Promise.all(inHand);
      throwIfFailed();
    },
  };
};

/** How many offsets hold about as many events as may be held. */
const nextWindow = (window: number, count: number): number => {
  const { least, most } = offsetsAtOnce;
  return Math.min(most, Math.max(least, Math.floor((window * heldEvents) / Math.max(1, count))));
};

/**
 * Delivers the latest events of ranges; resolves to how many events were read. Where the latest of a key cannot be decoded, the one before it
 * counts: an event of another version, or a mistake, hides no session. Such ranges are read again for those keys, a few times at most.
 */
const deliverNewer = async <N extends EventName>(
  reader: LogReader,
  ranges: readonly OffsetRange[],
  { known, batches }: { readonly known: Known; readonly batches: ReturnType<typeof inBatches<N>> },
): Promise<number> => {
  const { latest, count } = await newerIn(reader, ranges, known);
  const passed = new Map<string, Set<string>>();
  let unreadable = await batches.add(latest);
  for (let round = 0; unreadable.length > 0; round += 1) {
    const behind = new Map(
      unreadable.map((each) => [each.key, (passed.get(each.key) ?? new Set()).add(placeOf(each))]),
    );
    for (const [key, places] of behind) {
      passed.set(key, places);
      known.seen.delete(key);
    }
    if (round === maxRereads) break;
    unreadable = await batches.add((await newerIn(reader, ranges, { ...known, behind })).latest);
  }
  return count;
};

type Wanted<N extends EventName> = Pick<RecentLogOptions<N>, 'names' | 'finals'>;

/** Reads ranges from their ends backwards, a window at a time, and hands on the latest event of each key: the newest comes first. */
const deliverLatest = async <N extends EventName>(
  reader: LogReader,
  ranges: readonly OffsetRange[],
  { names, finals = [], onEvents }: Wanted<N> & { readonly onEvents: OnEvents<N> },
): Promise<void> => {
  const known = { names: new Set(names), finals: new Set(finals), seen: new Map<string, number>() };
  const batches = inBatches(onEvents);
  let unread = ranges.filter(({ from, to }) => from < to);
  let window = offsetsAtOnce.first;
  while (unread.length > 0) {
    const windows = unread.map((each) => ({ ...each, from: Math.max(each.from, each.to - window) }));
    const count = await deliverNewer(reader, windows, { known, batches });
    unread = windows
      .map((each, at) => ({ ...each, from: unread[at]?.from ?? 0, to: each.from }))
      .filter(({ from, to }) => from < to);
    window = nextWindow(window, count);
  }
  await batches.done();
};

/**
 * Gives `use` the events of a window before the newest message of their topics. Rejects when the log cannot be read, or with what `use`
 * threw.
 */
export const withRecentLog = <N extends EventName, T>(
  { windowMs, ...log }: RecentLogOptions<N>,
  use: (recent: RecentLog<N>) => Promise<T>,
): Promise<T> =>
  withLogReader({ ...log, topics: topicsOf(log.names) }, async (reader) => {
    const ranges = new Map((await reader.newestRanges(windowMs)).map((each) => [partitionName(each), each]));
    return use({
      parts: [...ranges.keys()],
      ends: new Map([...ranges].map(([name, { to }]) => [name, to])),
      latest: (parts, onEvents) => {
        const chosen = parts.flatMap((part) => ranges.get(part) ?? []);
        return deliverLatest(reader, chosen, { ...log, onEvents });
      },
    });
  });

/**
 * Delivers the latest event of each key that was written behind these ends, as far as the log still has it; of a partition that had no end
 * because it held nothing, all. Resolves to where the partitions end now.
 */
export const readBehind = async <N extends EventName>(
  log: Omit<RecentLogOptions<N>, 'windowMs'>,
  ends: Ends,
  onEvents: OnEvents<N>,
): Promise<Ends> =>
  withLogReader({ ...log, topics: topicsOf(log.names) }, async (reader) => {
    const behind = (await reader.rangesSince(0)).map((range) => ({
      ...range,
      from: Math.max(range.from, ends.get(partitionName(range)) ?? 0),
    }));
    await deliverLatest(reader, behind, { ...log, onEvents });
    return new Map(behind.map((range) => [partitionName(range), range.to]));
  });

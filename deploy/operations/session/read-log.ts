import type { EventName } from '#libs/contracts/events.ts';
import { topics } from '#libs/contracts/topics.ts';
import type { TopicName } from '#libs/contracts/topics.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { tryDecodeEvent } from '#libs/kafka/decode-event.ts';
import { textHeaders } from '#libs/kafka/fetched-message.ts';
import type { FetchedMessage } from '#libs/kafka/fetched-message.ts';
import { partitionOfKey } from '#libs/kafka/producer/partition-of-key.ts';
import { withLogReader } from '#libs/kafka/replay/log-reader.ts';
import { pinOf } from '#libs/kernel/partition-pins.ts';

/** An event as it stands in the log. */
export interface ToldEvent {
  readonly event: NonNullable<ReturnType<typeof tryDecodeEvent>>;
  /** Its data as text, in which ids are looked for. */
  readonly text: string;
  readonly topic: TopicName;
  readonly atMs: number;
  readonly traceId: string | undefined;
}

/** What is looked for: ids of any kind, and those of them that messages are keyed by, where they are known. */
export interface Search {
  readonly ids: ReadonlySet<string>;
  readonly keys: Readonly<Partial<Record<string, ReadonlySet<string>>>>;
}

/** The topics that tell of sessions and tokens. */
const told = [
  ...[
    'ott-requests.v1',
    'otts.v1',
    'ott-issuances.v1',
    'ott-presentations.v1',
    'ott-claims.v1',
    'ott-refusals.v1',
  ],
  ...['ott-ends.v1', 'billing.v1', 'renewals.v1', 'billing-retries.v1', 'game-sessions.v1', 'heartbeats.v1'],
  ...['game-session-changes.v1', 'launcher-sessions.v1'],
] as const satisfies readonly TopicName[];

const asTold = (topic: TopicName, fetched: FetchedMessage): ToldEvent[] => {
  const event = tryDecodeEvent(fetched);
  if (event === undefined) return [];
  const { ce_time: time = '', traceparent = '' } = textHeaders(fetched.message.headers);
  const text = JSON.stringify(event.data);
  return [{ event, text, topic, atMs: Date.parse(time), traceId: traceparent.split('-')[1] }];
};

/** Where messages with these keys are, among so many partitions; undefined where that cannot be told, because nothing tells among how many they were divided (D-63). */
const partitionsOf = (
  keys: ReadonlySet<string>,
  ids: ReadonlySet<string>,
  among: number,
): ReadonlySet<number> | undefined => {
  const pins = [...keys, ...ids].map(pinOf).filter((pin) => pin !== undefined);
  if (pins.length === 0) return undefined;
  const counts = new Set([among, ...pins]);
  return new Set([...keys].flatMap((key) => [...counts].map((count) => partitionOfKey(key, count))));
};

/** What one topic says: of a topic whose keys are known only their partitions are read. */
const readTopic = (
  kafka: KafkaConnection,
  topic: TopicName,
  { ids, keys, sinceMs }: Search & { readonly sinceMs: number },
): Promise<ToldEvent[]> =>
  withLogReader({ kafka, topics: [topic] }, async (log) => {
    const found: ToldEvent[] = [];
    const ranges = await log.rangesSince(sinceMs);
    const wanted = keys[topics[topic].key];
    const partitions = wanted && partitionsOf(wanted, ids, ranges.length);
    const chosen = ranges.filter(({ partition }) => partitions?.has(partition) ?? true);
    const needles = [...ids];
    await log.read(
      chosen.filter(({ from, to }) => from < to),
      (messages) => {
        for (const fetched of messages)
          if (needles.some((id) => fetched.message.value?.includes(id)))
            found.push(...asTold(topic, fetched));
      },
    );
    return found;
  });

/** The events since an instant in which one of the ids stands, oldest first, and the topics that could not be read. */
export const readLog = async (kafka: KafkaConnection, search: Search & { readonly sinceMs: number }) => {
  const isKnown = (topic: TopicName): boolean => search.keys[topics[topic].key]?.size !== 0;
  const wanted = told.filter(isKnown);
  const read = await Promise.allSettled(wanted.map((topic) => readTopic(kafka, topic, search)));
  const unread = wanted.filter((_, at) => read[at]?.status === 'rejected');
  const events = read.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  return { events: events.sort((one, other) => one.atMs - other.atMs), unread };
};

/** The names of events that say that play goes on: there is one for each heartbeat. */
export const ofEachHeartbeat: ReadonlySet<EventName> = new Set(['game-session.heartbeat', 'billing.renewed']);

import { topics } from '#libs/contracts/topics.ts';
import type { TopicName } from '#libs/contracts/topics.ts';
import type { KafkaConnection } from '../connection.ts';
import { partitionName } from '../fetched-message.ts';
import type { FetchedMessage } from '../fetched-message.ts';
import { withLogReader } from './log-reader.ts';
import type { OffsetRange } from './offset-ranges.ts';

/** A place in the log; the topic is named as on the cluster. */
export interface LogPlace extends Pick<OffsetRange, 'topic' | 'partition'> {
  readonly offset: number;
}

/** Places of a partition that are this near are read at once, with what stands between them: about as many messages as one fetch brings. */
const nearOffsets = 2_000;

/** One name for a place. */
export const placeName = ({ offset, ...partition }: LogPlace): string =>
  `${partitionName(partition)}@${offset}`;

/** What a partition retains of these offsets. */
const rangesOf = (retained: OffsetRange, offsets: readonly number[]): OffsetRange[] => {
  const ranges: OffsetRange[] = [];
  const held = offsets.filter((offset) => offset >= retained.from && offset < retained.to);
  for (const offset of held.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    const isNear = last !== undefined && offset - last.to < nearOffsets;
    ranges.push({ ...retained, from: isNear ? last.from : offset, to: offset + 1 });
    if (isNear) ranges.splice(-2, 1);
  }
  return ranges;
};

/**
 * Delivers the messages that stand at places of our topics, bundles as they are; a place that the log has no more, or never had, is passed
 * over. Rejects as the log reader does.
 */
export const readPlaces = async (
  kafka: KafkaConnection,
  places: readonly LogPlace[],
  onMessage: (fetched: FetchedMessage) => void,
): Promise<void> => {
  const onCluster = new Set(places.map(({ topic }) => topic));
  const names = (Object.keys(topics) as TopicName[]).filter((name) => onCluster.has(kafka.onCluster(name)));
  if (names.length === 0) return;
  const asked = new Set(places.map(placeName));
  const offsets = Map.groupBy(places, partitionName);
  await withLogReader({ kafka, topics: names }, async (log) => {
    const ranges = (await log.rangesSince(0)).map((retained) =>
      rangesOf(retained, offsets.get(partitionName(retained))?.map(({ offset }) => offset) ?? []),
    );
    const rounds = Math.max(...ranges.map(({ length }) => length));
    for (let round = 0; round < rounds; round += 1)
      await log.readWhole(
        ranges.flatMap((ofPartition) => ofPartition[round] ?? []),
        (messages) => {
          for (const fetched of messages)
            if (asked.has(placeName({ ...fetched, offset: Number(fetched.message.offset) })))
              onMessage(fetched);
        },
      );
  });
};

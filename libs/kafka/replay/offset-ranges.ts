import type { Admin } from 'kafkajs';
import { partitionName } from '../fetched-message.ts';

/** Messages of one partition: offsets from `from` up to, but not including, `to`. The topic is named as on the cluster. */
export interface OffsetRange {
  readonly topic: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

/** A range that begins at an instant. */
export interface RangeSince extends OffsetRange {
  /** Whether the log still has every message that was written since then. */
  readonly isComplete: boolean;
}

/**
 * All messages that the topics hold now. One topic is asked for after the other: while kafkajs 2.2.4 looks up a topic that is new to it, an older
 * look-up of fewer may come last, and then it knows nothing of the new one and fails with a TypeError.
 */
export const retainedRanges = async (admin: Admin, topics: readonly string[]): Promise<OffsetRange[]> => {
  const found: OffsetRange[] = [];
  for (const topic of topics)
    for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
      found.push({ topic, partition, from: Number(low), to: Number(high) });
  return found;
};

/** The newest message of a range. */
export const newestMessage = (range: OffsetRange): OffsetRange => ({
  ...range,
  from: Math.max(range.from, range.to - 1),
});

/** The part of each range, of all that its partition retains, that was written at or after an instant (ms since the epoch). */
export const startingAt = async (
  admin: Admin,
  retained: readonly OffsetRange[],
  sinceMs: number,
): Promise<RangeSince[]> => {
  const begins = new Map<string, number>();
  for (const topic of new Set(retained.map(({ topic }) => topic)))
    for (const { partition, offset } of await admin.fetchTopicOffsetsByTimestamp(topic, sinceMs))
      begins.set(partitionName({ topic, partition }), Number(offset));
  return retained.map((range) => {
    const from = begins.get(partitionName(range)) ?? range.from;
    // When the oldest retained message is in the range, messages before it may have been written since then, and deleted.
    return { ...range, from, isComplete: range.from === 0 || from > range.from };
  });
};

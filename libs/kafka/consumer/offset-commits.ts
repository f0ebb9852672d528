import type { EachBatchPayload, TopicPartitionOffset } from 'kafkajs';
import type { Log } from '#libs/runtime/log.ts';
import { withDeadline } from '#libs/runtime/wait.ts';
import type { Watermarks } from './watermarks.ts';

const intervalMs = 1_000;
const lastCommitDeadlineMs = 1_000;

/** Commits in one try, as a member of the generation that fetched: kafkajs' own retries could outlive it. */
type CommitOnce = EachBatchPayload['commitOffsetsIfNecessary'];

/** Offsets in the shape that kafkajs wants. */
export const grouped = (offsets: readonly TopicPartitionOffset[]) => ({
  topics: [...Map.groupBy(offsets, ({ topic }) => topic)].map(([topic, partitions]) => ({
    topic,
    partitions,
  })),
});

/** Commits what the watermarks allow, every second in the background: an awaited commit for each batch doubles the latency. */
export interface OffsetCommits {
  start(): void;
  /** How to commit, as the latest batch says. */
  by(commit: CommitOnce): void;
  now(): Promise<void>;
  /** The last commit, within a second. */
  stop(): Promise<void>;
}

/** The commits of one consumer, one at a time; a failed one is only the next one's work. */
export const createOffsetCommits = (watermarks: Watermarks, log: Log): OffsetCommits => {
  let commitOnce: CommitOnce | undefined;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const commit = async (): Promise<void> => {
    const offsets = watermarks.uncommitted();
    if (offsets.length === 0) return;
    try {
      await commitOnce?.(grouped(offsets));
      watermarks.committed(offsets);
    } catch (error) {
      log.debug({ error }, 'offsets were not committed; the next commit carries them');
    }
  };
  const now = (): Promise<void> => (running ??= commit().finally(() => (running = undefined)));
  return {
    start: () => {
      timer = setInterval(() => void now(), intervalMs);
    },
    by: (commit) => {
      commitOnce = commit;
    },
    now,
    stop: async () => {
      clearInterval(timer);
      const late = (): Error => new Error('the last offsets could not be committed in time');
      await withDeadline(Promise.resolve(running).then(now), lastCommitDeadlineMs, late);
    },
  };
};

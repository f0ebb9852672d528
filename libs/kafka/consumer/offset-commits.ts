import type { EachBatchPayload, TopicPartitionOffset } from 'kafkajs';
import type { Log } from '#libs/runtime/log.ts';
import { withDeadline } from '#libs/runtime/wait.ts';
import type { Watermarks } from './watermarks.ts';

const intervalMs = 1_000;
const lastCommitDeadlineMs = 1_000;

/** Commits in one try, as a member of the generation that fetched: kafkajs' own retries could outlive it. */
type CommitOnce = EachBatchPayload['commitOffsetsIfNecessary'];

/** Offsets in the shape that kafkajs takes. */
export const offsetsByTopic = (offsets: readonly TopicPartitionOffset[]) => ({
  topics: [...Map.groupBy(offsets, ({ topic }) => topic)].map(([topic, partitions]) => ({
    topic,
    partitions,
  })),
});

/** Commits the watermarks every second, in the background: to await a commit for each batch would double the latency. */
export interface OffsetCommits {
  start(): void;
  /** How to commit from now on: only the latest batch belongs to the current generation of the group. */
  commitBy(commitOnce: CommitOnce): void;
  commit(): Promise<void>;
  /** Commits a last time, within a second. */
  stop(): Promise<void>;
}

/** The commits of one consumer, one at a time; the next one also carries what a failed one did not commit. */
export const createOffsetCommits = (watermarks: Watermarks, log: Log): OffsetCommits => {
  let commitOnce: CommitOnce | undefined;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const tryCommit = async (): Promise<void> => {
    const offsets = watermarks.uncommitted();
    if (offsets.length === 0) return;
    try {
      await commitOnce?.(offsetsByTopic(offsets));
      watermarks.committed(offsets);
    } catch (error) {
      log.debug({ error }, 'offsets were not committed; the next commit carries them');
    }
  };
  const commit = (): Promise<void> => (running ??= tryCommit().finally(() => (running = undefined)));
  return {
    start: () => {
      timer = setInterval(() => void commit(), intervalMs);
    },
    commitBy: (next) => {
      commitOnce = next;
    },
    commit,
    stop: async () => {
      clearInterval(timer);
      const late = (): Error => new Error('the last offsets could not be committed in time');
      await withDeadline(Promise.resolve(running).then(commit), lastCommitDeadlineMs, late);
    },
  };
};

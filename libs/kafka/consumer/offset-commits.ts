import type { EachBatchPayload, TopicPartitionOffset } from 'kafkajs';
import type { Log } from '#libs/runtime/log.ts';
import { withDeadline } from '#libs/runtime/wait.ts';
import { JoinAgain, isRefusal } from '../kafkajs-fixes/away.ts';
import type { Watermarks } from './watermarks.ts';

const intervalMs = 1_000;
const lastCommitDeadlineMs = 1_000;
/** Commits in a row that a broker refused: after so many the group is joined again, and after so many the process is not live. */
const refusalsUntilRejoin = 5;
const refusalsUntilDead = 60;

/** Commits in one try, as a member of the generation that fetched: kafkajs' own retries could outlive it. */
type CommitOnce = EachBatchPayload['commitOffsetsIfNecessary'];

/** How a broker refuses a commit of somebody who is no member with it; other errors may be an outage of the cluster. */
const refusalTypes: ReadonlySet<unknown> = new Set([
  'NOT_COORDINATOR_FOR_GROUP',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
  'REBALANCE_IN_PROGRESS',
]);

/** Counts the commits in a row that a broker refused. */
const countRefusals = () => {
  let count = 0;
  let rejoinAt = refusalsUntilRejoin;
  return {
    note: (error: unknown): void => {
      if (isRefusal(error, refusalTypes)) count += 1;
    },
    reset: (): void => {
      count = 0;
      rejoinAt = refusalsUntilRejoin;
    },
    throwIfFrozen: (): void => {
      if (count < rejoinAt) return;
      rejoinAt = count + refusalsUntilRejoin;
      throw new JoinAgain('offsets could not be committed; joining the group again');
    },
    live: (): boolean => count < refusalsUntilDead,
  };
};

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
  /** Throws when commits have been refused for five seconds: kafkajs then joins the group again, and finds its coordinator. */
  throwIfFrozen(): void;
  /** False when commits have been refused for a minute; an outage of Kafka refuses none. */
  live(): boolean;
  /** Commits a last time, within a second. */
  stop(): Promise<void>;
}

/** The commits of one consumer, one at a time; the next one also carries what a failed one did not commit. */
export const createOffsetCommits = (watermarks: Watermarks, log: Log): OffsetCommits => {
  let commitOnce: CommitOnce | undefined;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const refusals = countRefusals();
  const tryCommit = async (): Promise<void> => {
    const offsets = watermarks.uncommitted();
    if (offsets.length === 0) return;
    try {
      await commitOnce?.(offsetsByTopic(offsets));
      watermarks.committed(offsets);
      refusals.reset();
    } catch (error) {
      refusals.note(error);
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
    throwIfFrozen: refusals.throwIfFrozen,
    live: refusals.live,
    stop: async () => {
      clearInterval(timer);
      const late = (): Error => new Error('the last offsets could not be committed in time');
      await withDeadline(Promise.resolve(running).then(commit), lastCommitDeadlineMs, late);
    },
  };
};

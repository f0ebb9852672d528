import type { Consumer, ConsumerCrashEvent, EachBatchHandler } from 'kafkajs';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Fatal } from '#libs/runtime/service.ts';
import { withDeadline } from '#libs/runtime/wait.ts';
import type { KafkaConnection } from '../connection.ts';
import { createLivenessWatchdog } from './liveness-watchdog.ts';
import type { LivenessWatchdog } from './liveness-watchdog.ts';

const joinDeadlineMs = 45_000;
const leaveDeadlineMs = 2_500;

/** Partitions by topic. */
export type Assignment = Readonly<Record<string, readonly number[]>>;

interface GroupMembershipOptions {
  readonly kafka: KafkaConnection;
  readonly group: string;
  readonly topics: readonly string[];
  readonly eachBatch: EachBatchHandler;
  /** Whether a batch that was handed over counts as fetched, or its messages are resolved one by one. */
  readonly autoResolve: boolean;
  readonly onRebalancing?: () => void;
  readonly onAssigned?: (assignment: Assignment) => void;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** A consumer's place in its group. */
export interface GroupMembership {
  /** Joins and begins to fetch; rejects when the group is not joined within 45 s. A crash that kafkajs does not mend itself is fatal. */
  join(fatal: Fatal): Promise<void>;
  /** Leaves the group, so that the next owner starts at once. */
  leave(): Promise<void>;
  /** Stops fetching until `resume`, or until the next assignment. */
  pause(): void;
  resume(): void;
  /** Waits on purpose, for a store that is away: said again and again. */
  beat(): void;
  /** False when the poll loop has been stuck for a minute. */
  live(): boolean;
}

type Watched = GroupMembershipOptions & { readonly pulse: LivenessWatchdog };

/** Resolves with the first assignment. A crash that kafkajs does not mend itself rejects before that, and is fatal after it. */
const watch = (consumer: Consumer, options: Watched, fatal: Fatal): Promise<void> => {
  const { group, metrics, onAssigned, onRebalancing, pulse } = options;
  const { CRASH, FETCH_START, GROUP_JOIN, REBALANCING, REQUEST_TIMEOUT } = consumer.events;
  for (const sign of [CRASH, FETCH_START, GROUP_JOIN, REBALANCING, REQUEST_TIMEOUT] as string[])
    consumer.on(sign as typeof FETCH_START, pulse.beat);
  const lastFetch = metrics.gauge('gsb_kafka_last_fetch_timestamp_seconds');
  const rebalances = metrics.counter('gsb_kafka_rebalances_total');
  consumer.on(FETCH_START, () => lastFetch.setToCurrentTime({ group }));
  consumer.on(REBALANCING, () => onRebalancing?.());
  return new Promise((resolve, reject) => {
    let onCrash: Fatal = reject;
    consumer.on(CRASH, ({ payload }: ConsumerCrashEvent) => {
      if (!payload.restart) onCrash(payload.error);
    });
    consumer.on(GROUP_JOIN, ({ payload }) => {
      onCrash = fatal;
      rebalances.inc({ group });
      onAssigned?.(payload.memberAssignment);
      resolve();
    });
  });
};

/** kafkajs refuses while it restarts after a crash; the assignment that follows says again what is paused. */
const whileMember = (act: () => void): void => {
  try {
    act();
  } catch {
    return;
  }
};

/** Stops and restarts the fetching; a loop that rests on purpose is not stuck. */
const pausable = (consumer: Consumer, topics: readonly string[], pulse: LivenessWatchdog) => {
  const all = topics.map((topic) => ({ topic }));
  return {
    pause: () => {
      pulse.rest(true);
      whileMember(() => consumer.pause(all));
    },
    resume: () => {
      pulse.rest(false);
      whileMember(() => consumer.resume(all));
    },
  };
};

const run = async (
  consumer: Consumer,
  { topics, autoResolve, eachBatch }: GroupMembershipOptions,
  joined: Promise<void>,
): Promise<void> => {
  await consumer.connect();
  await consumer.subscribe({ topics: [...topics], fromBeginning: true });
  const settings = { autoCommit: false, eachBatchAutoResolve: autoResolve, eachBatch };
  await Promise.all([joined, consumer.run(settings)]);
};

/** A member of a group that reads its topics from the beginning when the group is new: nothing is lost. */
export const createGroupMembership = (options: GroupMembershipOptions): GroupMembership => {
  const { kafka, group, topics, log } = options;
  const consumer = kafka.consumer(group);
  const pulse = createLivenessWatchdog({ reachable: kafka.reachable });
  const inTime = <T>(work: Promise<T>, ms: number, verb: string): Promise<T> =>
    withDeadline(work, ms, () => new Error(`the group ${group} could not be ${verb} in time`));
  return {
    join: async (fatal) => {
      const joined = watch(consumer, { ...options, pulse }, fatal);
      await inTime(run(consumer, options, joined), joinDeadlineMs, 'joined');
      pulse.start();
      log.debug({ group }, 'joined the group');
    },
    leave: async () => {
      pulse.stop();
      await inTime(consumer.disconnect(), leaveDeadlineMs, 'left');
    },
    ...pausable(consumer, topics, pulse),
    beat: pulse.beat,
    live: pulse.live,
  };
};

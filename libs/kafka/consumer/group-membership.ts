import type { Consumer, ConsumerCrashEvent, EachBatchHandler, TopicPartitionOffset } from 'kafkajs';
import type { EventName } from '#libs/contracts/events.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Fatal } from '#libs/runtime/service.ts';
import { withDeadline } from '#libs/runtime/wait.ts';
import type { KafkaConnection } from '../connection.ts';
import type { Publisher } from '../producer/publisher.ts';
import { topicsOf } from '../topics-of.ts';
import type { Assignment } from './assignment.ts';
import { createLagMeter } from './lag-meter.ts';
import type { LagMeter } from './lag-meter.ts';
import { createLivenessWatchdog } from './liveness-watchdog.ts';
import type { LivenessWatchdog } from './liveness-watchdog.ts';

const joinDeadlineMs = 45_000;
const leaveDeadlineMs = 2_500;

/** What every consumer needs: its group, and the publisher of messages that cannot be handled. */
export interface ConsumerGroupOptions {
  readonly kafka: KafkaConnection;
  readonly group: string;
  readonly deadLetters: Pick<Publisher, 'publish'>;
  readonly metrics: Metrics;
  readonly log: Log;
}

interface GroupMembershipOptions extends Omit<ConsumerGroupOptions, 'deadLetters'> {
  /** The events whose topics are read. */
  readonly names: readonly EventName[];
  readonly eachBatch: EachBatchHandler;
  /** Whether all messages of a batch count as processed once `eachBatch` has resolved, or each when it is resolved. */
  readonly autoResolve: boolean;
  readonly onRebalancing?: () => void;
  readonly onAssigned?: (assignment: Assignment) => void;
}

/** A consumer as a member of its group. */
export interface GroupMembership {
  /** Joins and begins to fetch; rejects when the group is not joined within 45 s. A crash that kafkajs does not restart from is fatal. */
  join(fatal: Fatal): Promise<void>;
  /** Leaves the group, so that its partitions are assigned to others at once. */
  leave(): Promise<void>;
  /** Stops fetching these topics until `resume`, or until the next assignment. */
  pause(topics: readonly string[]): void;
  resume(topics: readonly string[]): void;
  /** The next fetch of a partition begins there. */
  seek(position: TopicPartitionOffset): void;
  /** Tells the liveness watchdog that the consumer works, although it does not fetch: to be called at each retry. */
  noteActivity(): void;
  /** False when the poll loop has been stuck for a minute. */
  live(): boolean;
}

type WatchedOptions = GroupMembershipOptions & {
  readonly watchdog: LivenessWatchdog;
  readonly lag: LagMeter;
};

/** Resolves with the first assignment. A crash that kafkajs does not restart from rejects before that, and is fatal after it. */
const watch = (consumer: Consumer, options: WatchedOptions, fatal: Fatal): Promise<void> => {
  const { group, metrics, onAssigned, onRebalancing, watchdog, lag } = options;
  const { CRASH, FETCH_START, GROUP_JOIN, REBALANCING, REQUEST_TIMEOUT } = consumer.events;
  for (const activity of [CRASH, FETCH_START, GROUP_JOIN, REBALANCING, REQUEST_TIMEOUT] as string[])
    consumer.on(activity as typeof FETCH_START, watchdog.noteActivity);
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
      lag.assigned(payload.memberAssignment);
      onAssigned?.(payload.memberAssignment);
      resolve();
    });
  });
};

/** kafkajs throws while it restarts after a crash; flow control pauses again at the assignment that follows. */
const ignoreRestart = (action: () => void): void => {
  try {
    action();
  } catch {
    return;
  }
};

/** Pauses and resumes fetching; a poll loop of which all topics are paused is not stuck. */
const pausable = (consumer: Consumer, topics: readonly string[], watchdog: LivenessWatchdog) => {
  const paused = new Set<string>();
  const tell = (): void => watchdog.setPaused(paused.size === topics.length);
  const named = (some: readonly string[]) => some.map((topic) => ({ topic }));
  return {
    pause: (some: readonly string[]) => {
      for (const topic of some) paused.add(topic);
      tell();
      ignoreRestart(() => consumer.pause(named(some)));
    },
    resume: (some: readonly string[]) => {
      for (const topic of some) paused.delete(topic);
      tell();
      ignoreRestart(() => consumer.resume(named(some)));
    },
  };
};

/** Membership in a group that reads its topics from the beginning when it is new: nothing is lost. */
export const createGroupMembership = (options: GroupMembershipOptions): GroupMembership => {
  const { kafka, group, names, eachBatch, autoResolve, log } = options;
  const topics = topicsOf(names).map(kafka.onCluster);
  const consumer = kafka.consumer(group, { gathers: !autoResolve });
  const watchdog = createLivenessWatchdog({ reachable: kafka.reachable });
  const lag = createLagMeter(options);
  const inTime = <T>(work: Promise<T>, ms: number, verb: string): Promise<T> =>
    withDeadline(work, ms, () => new Error(`the group ${group} could not be ${verb} in time`));
  const run = async (joined: Promise<void>): Promise<void> => {
    await consumer.connect();
    await consumer.subscribe({ topics, fromBeginning: true });
    const settings = { autoCommit: false, eachBatchAutoResolve: autoResolve, eachBatch };
    await Promise.all([joined, consumer.run(settings)]);
  };
  return {
    join: async (fatal) => {
      await inTime(run(watch(consumer, { ...options, watchdog, lag }, fatal)), joinDeadlineMs, 'joined');
      watchdog.start();
      lag.start();
      log.debug({ group }, 'joined the group');
    },
    leave: async () => {
      watchdog.stop();
      await lag.stop();
      await inTime(consumer.disconnect(), leaveDeadlineMs, 'left');
    },
    ...pausable(consumer, topics, watchdog),
    seek: (position) => consumer.seek(position),
    noteActivity: watchdog.noteActivity,
    live: watchdog.live,
  };
};

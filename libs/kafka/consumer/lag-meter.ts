import type { Admin } from 'kafkajs';
import { withDeadline } from '#libs/runtime/wait.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { KafkaConnection } from '../connection.ts';
import type { Assignment } from './assignment.ts';

const measureEveryMs = 5_000;
const stopDeadlineMs = 500;

/** Compares what a group has committed with what the log has; unlike its fetch loop it also does so while that stands still. */
export interface LagMeter {
  /** The partitions of this consumer from now on; those it had before are told no more. */
  assigned(assignment: Assignment): void;
  start(): void;
  stop(): Promise<void>;
}

interface Lag {
  readonly topic: string;
  readonly partition: number;
  readonly events: number;
}

/** A group that has committed nothing yet begins where the log does. */
const uncommitted = '-1';

const lagIn = (from: string, { high, low }: { readonly high: string; readonly low: string }): number =>
  Math.max(0, Number(high) - Number(from === uncommitted ? low : from));

/** One topic is asked for after the other, as in `retainedRanges`. */
const lagsOf = async (admin: Admin, groupId: string, assignment: Assignment): Promise<Lag[]> => {
  const lags: Lag[] = [];
  for (const [topic, assigned] of Object.entries(assignment)) {
    const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
    const next = new Map(committed?.partitions.map(({ partition, offset }) => [partition, offset]));
    const ends = await admin.fetchTopicOffsets(topic);
    const own = ends.filter(({ partition }) => assigned.includes(partition));
    for (const { partition, ...end } of own)
      lags.push({ topic, partition, events: lagIn(next.get(partition) ?? uncommitted, end) });
  }
  return lags;
};

const sameAs = (one: Lag) => (other: Lag) => one.topic === other.topic && one.partition === other.partition;

interface LagOptions {
  readonly kafka: KafkaConnection;
  readonly group: string;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Tells lags, and no more those that were told before. */
const createTold = ({ group, metrics }: LagOptions) => {
  const gauge = metrics.gauge('gsb_kafka_lag_messages');
  let told: Lag[] = [];
  return (lags: Lag[]): void => {
    for (const { topic, partition } of told.filter((each) => !lags.some(sameAs(each))))
      gauge.remove({ group, topic, partition });
    for (const { topic, partition, events } of lags) gauge.set({ group, topic, partition }, events);
    told = lags;
  };
};

const late = (): Error => new Error('the connection that measures the lag did not end in time');
const inTime = (work: Promise<void> | undefined, log: Log): Promise<void> =>
  withDeadline(Promise.resolve(work), stopDeadlineMs, late).catch((error: unknown) =>
    log.debug({ error }, 'the lag is measured no more'),
  );

/** The lag of the partitions of one consumer, every five seconds, over a connection of its own. */
export const createLagMeter = (options: LagOptions): LagMeter => {
  const { kafka, group, log } = options;
  const tell = createTold(options);
  const admin = kafka.admin();
  let assignment: Assignment = {};
  let connected: Promise<void> | undefined;
  let measuring: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const tryMeasure = async (): Promise<void> => {
    const of = assignment;
    if (Object.keys(of).length === 0) return;
    try {
      await (connected ??= admin.connect());
      const lags = await lagsOf(admin, kafka.onCluster(group), of);
      if (of === assignment) tell(lags);
    } catch (error) {
      connected = undefined;
      log.debug({ error, group }, 'the lag could not be measured; it will be');
    }
  };
  const measure = (): Promise<void> => (measuring ??= tryMeasure().finally(() => (measuring = undefined)));
  return {
    assigned: (next) => {
      assignment = next;
      tell([]);
      void measure();
    },
    start: () => {
      timer = setInterval(() => void measure(), measureEveryMs).unref();
    },
    stop: async () => {
      clearInterval(timer);
      assignment = {};
      // One that waits for a broker ends with the process.
      await inTime(measuring, log);
      await inTime(admin.disconnect(), log);
    },
  };
};

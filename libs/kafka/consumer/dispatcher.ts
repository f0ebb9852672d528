import type { Batch } from 'kafkajs';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { unbundled } from '../bundle.ts';
import { isWanted } from '../decode-event.ts';
import { eventNameOf } from '../fetched-message.ts';
import type { FetchedMessage } from '../fetched-message.ts';
import type { HandleEvents } from './event-handler.ts';
import type { PausableConsumer } from './flow-control.ts';
import { createInHand } from './in-hand.ts';
import { createLane } from './lane.ts';
import type { Lane, LaneOptions } from './lane.ts';
import type { Watermarks } from './watermarks.ts';

interface DispatcherOptions {
  readonly group: string;
  readonly names: ReadonlySet<string>;
  /** The events of which those of one message are handled together. */
  readonly together: ReadonlySet<string | undefined>;
  /** The topics that are read, each in one lane. */
  readonly lanes: readonly Pick<LaneOptions, 'topics' | 'atOnce'>[];
  readonly handle: HandleEvents;
  readonly watermarks: Watermarks;
  readonly consumer: PausableConsumer;
  /** Once aborted no handler starts. */
  readonly stopped: AbortSignal;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Passes messages from the fetch loop to their handlers. */
export interface Dispatcher {
  dispatch(batch: Batch): void;
  /** To be called after a new assignment. */
  reassigned(): void;
  /** Resolves when no message is in flight. */
  idle(): Promise<void>;
  /** Messages in flight. */
  readonly size: number;
}

const orderingKeyOf = ({ topic, partition, message }: FetchedMessage): string =>
  `${topic}/${message.key?.toString() ?? `#${partition}`}`;

const logStuck =
  ({ topic, partition, message: { offset } }: FetchedMessage, log: Log) =>
  (error: unknown): void =>
    log.error(
      { error, topic, partition, offset },
      'a message could not be published as a dead letter; it stays uncommitted',
    );

/** The lanes, by the topics in them; together they tell how many messages are in flight. */
const createLanes = ({ group, lanes, consumer, metrics }: DispatcherOptions) => {
  const sizes = metrics.gauge('gsb_kafka_in_hand_messages');
  const all: readonly Lane[] = lanes.map((each) => createLane({ ...each, consumer }));
  const size = (): number => all.reduce((sum, lane) => sum + lane.size, 0);
  metrics.beforeText(() => sizes.set({ group }, size()));
  const byTopic = new Map(all.flatMap((lane) => lane.topics.map((topic) => [topic, lane] as const)));
  return { all, size, of: (topic: string) => byTopic.get(topic) };
};

/**
 * Handles the events of a batch concurrently, in order for each key. Of a lane only so many at once; while too many are in flight in one, its
 * topics are not fetched.
 */
export const createDispatcher = (options: DispatcherOptions): Dispatcher => {
  const { names, together, handle, watermarks, stopped, log } = options;
  const lanes = createLanes(options);
  const inHand = createInHand(options);
  const enqueue = (fetched: FetchedMessage, events: readonly FetchedMessage[]): void => {
    const tracked = watermarks.begin(fetched);
    const work = async (): Promise<void> => {
      const putDown = inHand.take();
      const done = await handle(events, () => tracked.revoked || stopped.aborted).finally(putDown);
      if (done) tracked.done();
    };
    const task = () => work().catch(logStuck(fetched, log));
    lanes.of(fetched.topic)?.add(events.map(orderingKeyOf), task);
  };
  const receive = (fetched: FetchedMessage): void => {
    if (!isWanted(names, fetched)) return watermarks.skip(fetched);
    const events = unbundled(fetched);
    if (together.has(eventNameOf(fetched.message))) enqueue(fetched, events);
    else for (const each of events) enqueue(each, [each]);
  };
  return {
    dispatch: (batch) => {
      const { topic, partition } = batch;
      for (const message of batch.messages) receive({ topic, partition, message });
      lanes.of(topic)?.added();
    },
    reassigned: () => lanes.all.forEach((lane) => lane.reassigned()),
    idle: async () => {
      await Promise.all(lanes.all.map((lane) => lane.idle()));
    },
    get size() {
      return lanes.size();
    },
  };
};

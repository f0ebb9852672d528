import type { Batch } from 'kafkajs';
import { unbundled } from '../bundle.ts';
import { isWanted } from '../decode-event.ts';
import { eventNameOf } from '../fetched-message.ts';
import type { FetchedMessage } from '../fetched-message.ts';
import type { PausableConsumer } from './flow-control.ts';
import { createLane } from './lane.ts';
import type { Lane, LaneOptions } from './lane.ts';
import { createMessageParts } from './message-parts.ts';
import type { MessagePartsOptions } from './message-parts.ts';

interface DispatcherOptions extends MessagePartsOptions {
  readonly names: ReadonlySet<string>;
  /** The events of which those of one message are handled together. */
  readonly together: ReadonlySet<string | undefined>;
  /** The topics that are read, each in one lane. */
  readonly lanes: readonly Pick<LaneOptions, 'topics' | 'atOnce'>[];
  readonly consumer: PausableConsumer;
}

/** Passes messages from the fetch loop to their handlers. */
export interface Dispatcher {
  dispatch(batch: Batch): void;
  /** To be called after a new assignment. */
  reassigned(): void;
  /** Resolves when no event is in flight. */
  idle(): Promise<void>;
  /** Events in flight. */
  readonly size: number;
}

const orderingKeyOf = ({ topic, partition, message }: FetchedMessage): string =>
  `${topic}/${message.key?.toString() ?? `#${partition}`}`;

/** The lanes, by the topics in them; together they tell how many events are in flight. */
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
  const { names, together, watermarks } = options;
  const lanes = createLanes(options);
  const begin = createMessageParts(options);
  const receive = (fetched: FetchedMessage): void => {
    if (!isWanted(names, fetched)) return watermarks.skip(fetched);
    const events = unbundled(fetched);
    const isWhole = together.has(eventNameOf(fetched.message));
    const parts = isWhole ? [events] : events.map((each) => [each]);
    const handlePart = begin(fetched, parts.length);
    const lane = lanes.of(fetched.topic);
    for (const part of parts) lane?.add(part.map(orderingKeyOf), (endTurn) => handlePart(part, endTurn));
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

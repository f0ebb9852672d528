import type { Batch } from 'kafkajs';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { unbundled } from '../bundle.ts';
import { isWanted } from '../decode-event.ts';
import { eventNameOf } from '../fetched-message.ts';
import type { FetchedMessage } from '../fetched-message.ts';
import type { HandleEvents } from './event-handler.ts';
import { createFlowControl } from './flow-control.ts';
import type { PausableConsumer } from './flow-control.ts';
import { createInHand } from './in-hand.ts';
import { createPerKeyQueue } from './per-key-queue.ts';
import type { Watermarks } from './watermarks.ts';

interface DispatcherOptions {
  readonly group: string;
  readonly names: ReadonlySet<string>;
  /** The events of which those of one message are handled together. */
  readonly together: ReadonlySet<string | undefined>;
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

/** Handles the events of a batch concurrently, in order for each key, and pauses the consumer when too many are in flight. */
export const createDispatcher = (options: DispatcherOptions): Dispatcher => {
  const { group, names, together, handle, watermarks, stopped, metrics, log } = options;
  const sizes = metrics.gauge('gsb_kafka_in_hand_messages');
  const inHand = createInHand(options);
  const flow = createFlowControl(options.consumer);
  const noteSize = (size: number): void => {
    sizes.set({ group }, size);
    flow.adjust(size);
  };
  const queue = createPerKeyQueue(noteSize);
  const enqueue = (fetched: FetchedMessage, events: readonly FetchedMessage[]): void => {
    const tracked = watermarks.begin(fetched);
    const putDown = inHand.take();
    const work = async (): Promise<void> => {
      const done = await handle(events, () => tracked.revoked || stopped.aborted);
      if (done) tracked.done();
    };
    queue.add(events.map(orderingKeyOf), () => work().catch(logStuck(fetched, log)).finally(putDown));
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
      noteSize(queue.size);
    },
    reassigned: flow.reapply,
    idle: queue.idle,
    get size() {
      return queue.size;
    },
  };
};

import type { Batch } from 'kafkajs';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { FetchedMessage } from '../encode-event.ts';
import { createFlowControl } from './flow-control.ts';
import type { PausableConsumer } from './flow-control.ts';
import type { HandleMessage } from './event-handler.ts';
import { createPerKeyQueue } from './per-key-queue.ts';
import { isWanted } from '../decode-event.ts';
import type { Watermarks } from './watermarks.ts';

interface DispatcherOptions {
  readonly group: string;
  readonly names: ReadonlySet<string>;
  readonly handle: HandleMessage;
  readonly watermarks: Watermarks;
  readonly tap: PausableConsumer;
  /** Once aborted nothing more begins. */
  readonly over: AbortSignal;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Messages between the fetch loop and their handlers. */
export interface Dispatcher {
  accept(batch: Batch): void;
  /** Says again that the tap is closed, if it is: a new assignment opens it. */
  reassigned(): void;
  /** Resolves when nothing is in hand. */
  idle(): Promise<void>;
  readonly size: number;
}

const laneOf = ({ topic, partition, message }: FetchedMessage): string =>
  `${topic}/${message.key?.toString() ?? `#${partition}`}`;

/** Takes fetched messages in hand, by key; closes the tap when there are too many. */
export const createDispatcher = (options: DispatcherOptions): Dispatcher => {
  const { group, names, handle, watermarks, over, metrics, log } = options;
  const depth = metrics.gauge('gsb_kafka_in_hand_messages');
  const lag = metrics.gauge('gsb_kafka_lag_messages');
  const gate = createFlowControl(options.tap);
  const noteSize = (size: number): void => {
    depth.set({ group }, size);
    gate.adjust(size);
  };
  const lanes = createPerKeyQueue(noteSize);
  const take = (fetched: FetchedMessage): void => {
    const { topic, partition, message } = fetched;
    if (!isWanted(names, fetched)) return watermarks.pass(topic, partition, message.offset);
    const ticket = watermarks.take(topic, partition, message.offset);
    const work = async (): Promise<void> => {
      const done = await handle(fetched, () => ticket.revoked || over.aborted);
      if (done) ticket.done();
    };
    const complain = (error: unknown): void =>
      log.error(
        { error, topic, partition, offset: message.offset },
        'an event could not even be put aside; it stays uncommitted',
      );
    lanes.run(laneOf(fetched), () => work().catch(complain));
  };
  return {
    accept: (batch) => {
      const { topic, partition, messages } = batch;
      for (const message of messages) take({ topic, partition, message });
      lag.set({ group, topic, partition }, Number(batch.offsetLag()));
      noteSize(lanes.size);
    },
    reassigned: gate.again,
    idle: lanes.idle,
    get size() {
      return lanes.size;
    },
  };
};

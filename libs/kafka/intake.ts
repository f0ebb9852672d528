import type { Batch } from 'kafkajs';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Fetched } from './envelope.ts';
import type { Handle } from './handling.ts';
import { createLanes } from './lanes.ts';
import { concerns } from './received.ts';
import type { Watermarks } from './watermarks.ts';

const pauseAbove = 2_000;
const resumeBelow = 1_000;

/** What stops and restarts the flow of fetched messages. */
export interface Tap {
  pause(): void;
  resume(): void;
}

interface IntakeOptions {
  readonly group: string;
  readonly names: ReadonlySet<string>;
  readonly handle: Handle;
  readonly watermarks: Watermarks;
  readonly tap: Tap;
  /** Once aborted nothing more begins. */
  readonly over: AbortSignal;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Messages between the fetch loop and their handlers. */
export interface Intake {
  accept(batch: Batch): void;
  /** Says again that the tap is closed, if it is: a new assignment opens it. */
  reassigned(): void;
  /** Resolves when nothing is in hand. */
  idle(): Promise<void>;
  readonly size: number;
}

const laneOf = ({ topic, partition, message }: Fetched): string =>
  `${topic}/${message.key?.toString() ?? `#${partition}`}`;

/** Takes fetched messages in hand, by key; closes the tap above 2,000 and opens it again below 1,000. */
export const createIntake = ({
  group,
  names,
  handle,
  watermarks,
  tap,
  over,
  metrics,
  log,
}: IntakeOptions): Intake => {
  const depth = metrics.gauge('gsb_kafka_in_hand_messages');
  const lag = metrics.gauge('gsb_kafka_lag_messages');
  let closed = false;
  const adjust = (size: number): void => {
    depth.set({ group }, size);
    if (closed ? size >= resumeBelow : size <= pauseAbove) return;
    closed = !closed;
    if (closed) tap.pause();
    else tap.resume();
  };
  const lanes = createLanes(adjust);
  const take = (fetched: Fetched): void => {
    const { topic, partition, message } = fetched;
    if (!concerns(names, fetched)) return watermarks.pass(topic, partition, message.offset);
    const ticket = watermarks.take(topic, partition, message.offset);
    lanes.run(laneOf(fetched), async () => {
      try {
        if (await handle(fetched, () => ticket.revoked || over.aborted)) ticket.done();
      } catch (error) {
        log.error(
          { error, topic, partition, offset: message.offset },
          'an event could not be put aside; it stays uncommitted',
        );
      }
    });
  };
  return {
    accept: (batch) => {
      const { topic, partition, messages } = batch;
      for (const message of messages) take({ topic, partition, message });
      lag.set({ group, topic, partition }, Number(batch.offsetLag()));
      adjust(lanes.size);
    },
    reassigned: () => {
      if (closed) tap.pause();
    },
    idle: lanes.idle,
    get size() {
      return lanes.size;
    },
  };
};

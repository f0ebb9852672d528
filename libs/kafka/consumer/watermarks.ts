import type { TopicPartitionOffset } from 'kafkajs';
import { partitionName } from '../encode-event.ts';

/** One fetched message, until it is done. */
export interface InFlightMessage {
  /** The partition went to another consumer: what has not begun is left to it. */
  readonly revoked: boolean;
  done(): void;
}

interface Tracker {
  readonly topic: string;
  readonly partition: number;
  /** Offsets that are not done, and how often each is in hand: after a rebalance a message may come a second time. */
  readonly inHand: Map<number, number>;
  revoked: boolean;
  next?: number | undefined;
  committed?: number | undefined;
}

const watermarkOf = ({ inHand, next }: Tracker): number | undefined => {
  if (inHand.size === 0) return next;
  let lowest = Infinity;
  for (const offset of inHand.keys()) lowest = Math.min(lowest, offset);
  return lowest;
};

const putDown = ({ inHand }: Tracker, offset: number): void => {
  const times = inHand.get(offset) ?? 0;
  if (times > 1) inHand.set(offset, times - 1);
  else inHand.delete(offset);
};

/** Which offsets are in hand and which may be committed: everything below a partition's watermark is done. */
export interface Watermarks {
  take(topic: string, partition: number, offset: string): InFlightMessage;
  /** Counts a message as done without taking it in hand. */
  pass(topic: string, partition: number, offset: string): void;
  /** A new assignment: partitions that left are forgotten, those that stayed keep what they have in hand. */
  assign(assignment: Readonly<Record<string, readonly number[]>>): void;
  /** What can be committed and has not been. */
  uncommitted(): TopicPartitionOffset[];
  committed(offsets: readonly TopicPartitionOffset[]): void;
}

const ticketOf = (tracker: Tracker, offset: number): InFlightMessage => ({
  get revoked() {
    return tracker.revoked;
  },
  done: () => putDown(tracker, offset),
});

const uncommittedOf = (tracker: Tracker): TopicPartitionOffset[] => {
  const { topic, partition, committed } = tracker;
  const offset = watermarkOf(tracker);
  return offset === undefined || offset === committed ? [] : [{ topic, partition, offset: String(offset) }];
};

/** Fetching begins again at what was committed, so what comes next is not known; what is in hand still counts. */
const reassign = (tracker: Tracker, isMine: boolean): void => {
  tracker.next = tracker.committed = undefined;
  tracker.revoked = !isMine;
};

/** Watermarks of one consumer. */
export const createWatermarks = (): Watermarks => {
  const trackers = new Map<string, Tracker>();
  const at = (topic: string, partition: number): Tracker => {
    const name = partitionName({ topic, partition });
    const tracker = trackers.get(name) ?? {
      topic,
      partition,
      inHand: new Map<number, number>(),
      revoked: false,
    };
    trackers.set(name, tracker);
    return tracker;
  };
  return {
    take: (topic, partition, text) => {
      const [tracker, offset] = [at(topic, partition), Number(text)];
      tracker.next = offset + 1;
      tracker.inHand.set(offset, (tracker.inHand.get(offset) ?? 0) + 1);
      return ticketOf(tracker, offset);
    },
    pass: (topic, partition, offset) => {
      at(topic, partition).next = Number(offset) + 1;
    },
    assign: (assignment) => {
      for (const [name, tracker] of trackers) {
        reassign(tracker, assignment[tracker.topic]?.includes(tracker.partition) === true);
        if (tracker.revoked) trackers.delete(name);
      }
    },
    uncommitted: () => [...trackers.values()].flatMap(uncommittedOf),
    committed: (offsets) => {
      for (const { topic, partition, offset } of offsets) {
        const tracker = trackers.get(partitionName({ topic, partition }));
        if (tracker) tracker.committed = Number(offset);
      }
    },
  };
};

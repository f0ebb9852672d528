import type { TopicPartitionOffset } from 'kafkajs';
import { partitionName } from '../fetched-message.ts';
import type { FetchedMessage } from '../fetched-message.ts';
import type { Assignment } from './assignment.ts';

/** A message between its fetch and the end of its handling. */
export interface InFlightMessage {
  /** The partition has been assigned to another consumer, which handles what has not begun here. */
  readonly revoked: boolean;
  /** To be called when one of its parts is done; the message is done when all of them are. */
  partDone(): void;
}

interface PartitionProgress {
  readonly topic: string;
  readonly partition: number;
  /** How often each offset is in flight: after a rebalance a message may be fetched a second time. */
  readonly inFlight: Map<number, number>;
  revoked: boolean;
  next?: number | undefined;
  committed?: number | undefined;
}

/** Which offsets may be committed: all messages of a partition below its watermark are done. */
export interface Watermarks {
  /** `parts`: how many parts of the message are handled apart. */
  begin(fetched: FetchedMessage, parts: number): InFlightMessage;
  /** Counts a message that is not to be handled as done. */
  skip(fetched: FetchedMessage): void;
  /** Forgets the partitions that are not in a new assignment; messages in flight of the others still count. */
  assign(assignment: Assignment): void;
  /** Whether a partition is in the latest assignment: a fetch of the one before may come in after it. */
  isAssigned(of: Pick<FetchedMessage, 'topic' | 'partition'>): boolean;
  /** The watermarks that have not been committed yet. */
  uncommitted(): TopicPartitionOffset[];
  committed(offsets: readonly TopicPartitionOffset[]): void;
}

const watermarkOf = ({ inFlight, next }: PartitionProgress): number | undefined => {
  if (inFlight.size === 0) return next;
  let lowest = Infinity;
  for (const offset of inFlight.keys()) lowest = Math.min(lowest, offset);
  return lowest;
};

const begin = (progress: PartitionProgress, offset: number, parts: number): InFlightMessage => {
  const { inFlight } = progress;
  let left = parts;
  inFlight.set(offset, (inFlight.get(offset) ?? 0) + 1);
  return {
    get revoked() {
      return progress.revoked;
    },
    partDone: () => {
      left -= 1;
      if (left > 0) return;
      const times = inFlight.get(offset) ?? 0;
      if (times > 1) inFlight.set(offset, times - 1);
      else inFlight.delete(offset);
    },
  };
};

const uncommittedOf = (progress: PartitionProgress): TopicPartitionOffset[] => {
  const { topic, partition, committed } = progress;
  const offset = watermarkOf(progress);
  return offset === undefined || offset === committed ? [] : [{ topic, partition, offset: String(offset) }];
};

/** Watermarks of one consumer. */
export const createWatermarks = (): Watermarks => {
  const all = new Map<string, PartitionProgress>();
  let latest: Assignment = {};
  const isAssigned: Watermarks['isAssigned'] = ({ topic, partition }) =>
    latest[topic]?.includes(partition) === true;
  const progressOf = ({ topic, partition, message }: FetchedMessage): PartitionProgress => {
    const name = partitionName({ topic, partition });
    const progress: PartitionProgress = all.get(name) ?? {
      topic,
      partition,
      inFlight: new Map(),
      revoked: false,
    };
    progress.next = Number(message.offset) + 1;
    all.set(name, progress);
    return progress;
  };
  return {
    begin: (fetched, parts) => begin(progressOf(fetched), Number(fetched.message.offset), parts),
    skip: (fetched) => void progressOf(fetched),
    isAssigned,
    assign: (assignment) => {
      latest = assignment;
      for (const [name, progress] of all) {
        // Fetching begins again at the committed offset: what is next is unknown until then.
        progress.next = progress.committed = undefined;
        progress.revoked = !isAssigned(progress);
        if (progress.revoked) all.delete(name);
      }
    },
    uncommitted: () => [...all.values()].flatMap(uncommittedOf),
    committed: (offsets) => {
      for (const each of offsets) {
        const progress = all.get(partitionName(each));
        if (progress) progress.committed = Number(each.offset);
      }
    },
  };
};

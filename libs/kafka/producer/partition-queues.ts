import { PassingMap, PassingSet } from '#libs/kernel/passing-map.ts';
import type { ProducerRecord } from '../encode-event.ts';
import { partitionName } from '../fetched-message.ts';
import type { PartitionLeaders } from './partition-leaders.ts';

const lapsesAfterMs = 10_000;

/** A record that waits to be sent, its size, since when in ms of the process's monotonic clock, and what tells its publisher how that went. */
export interface QueuedRecord {
  readonly record: ProducerRecord;
  readonly bytes: number;
  readonly sinceMs: number;
  readonly settle: (error: Error | undefined) => void;
  /** Where it waits, and has waited once it is sent. */
  queue?: PartitionQueue;
}

/** Records of one partition, the oldest first; of one topic while its partitions are not known. */
interface PartitionQueue {
  readonly topic: string;
  readonly partition: number | undefined;
  readonly waiting: PassingSet<QueuedRecord>;
  /** The request in flight that carries records of this partition. */
  request?: ProduceRequest | undefined;
}

/** Records that go to one broker together. */
export interface ProduceRequest {
  readonly group: Group;
  readonly records: readonly QueuedRecord[];
  readonly queues: Set<PartitionQueue>;
  /** Whether its partitions refused what was sent to them last. */
  readonly wereRefused: boolean;
  /** When it was sent, in ms of the process's monotonic clock. */
  readonly sentAt: number;
}

/** Partitions that share requests: by their broker's id; by the topic's name where its partitions are not known; those that refused last apart. */
type Group = number | string;

/** Records on their way to the brokers. */
export interface PartitionQueues {
  add(each: QueuedRecord): void;
  remove(each: QueuedRecord): void;
  /** Since when, in ms of the process's monotonic clock, a request has been in flight that `record` would have to wait for; undefined: none is. */
  heldUpSince(record: ProducerRecord): number | undefined;
  /** The requests that can be sent now; they count as in flight until all their records are over. */
  next(): ProduceRequest[];
  /**
   * Makes room for another request to the broker, and for the records of the partitions whose records in this one are all over. The others
   * have refused theirs, and so until `taken` tells otherwise.
   */
  release(request: ProduceRequest, over: ReadonlySet<QueuedRecord>): void;
  /** The log has these records. */
  taken(records: readonly QueuedRecord[]): void;
  inFlight(): number;
}

interface QueueOptions {
  readonly leaders: Pick<PartitionLeaders, 'partitionOf' | 'leaderOf'>;
  /** Bounds of one request. */
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/** The oldest records of each queue in turn, as many as fit into one request; removes them. */
const take = (
  queues: readonly PartitionQueue[],
  { maxRecords, maxBytes }: QueueOptions,
): Pick<ProduceRequest, 'records' | 'queues'> => {
  const records: QueuedRecord[] = [];
  let bytes = 0;
  for (const each of queues.flatMap(({ waiting }) => waiting.values())) {
    bytes += each.bytes;
    if (records.length === maxRecords || (records.length > 0 && bytes > maxBytes)) break;
    records.push(each);
  }
  const taken = new Set<PartitionQueue>();
  for (const each of records) {
    if (each.queue) taken.add(each.queue);
    each.queue?.waiting.delete(each);
    each.record.queuedIn = each.queue?.partition;
  }
  return { records, queues: taken };
};

const nameOf = ({ topic, partition }: Pick<PartitionQueue, 'topic' | 'partition'>): string =>
  partition === undefined ? topic : partitionName({ topic, partition });

/** The queues by name, and where records and queues belong. */
const createRoutes = ({ partitionOf, leaderOf }: QueueOptions['leaders']) => {
  const queues = new PassingMap<string, PartitionQueue>();
  const queueOf = (topic: string, partition: number | undefined): PartitionQueue => {
    const name = nameOf({ topic, partition });
    const queue = queues.get(name) ?? { topic, partition, waiting: new PassingSet<QueuedRecord>() };
    queues.set(name, queue);
    return queue;
  };
  /** While records wait that were added before the topic's partitions were known, later ones wait behind them. */
  const queueFor = (record: ProducerRecord): PartitionQueue =>
    queues.get(record.topic) ?? queueOf(record.topic, partitionOf(record.topic, record));
  const add = (each: QueuedRecord): void => {
    each.queue = queueFor(each.record);
    each.queue.waiting.add(each);
  };
  return {
    queues,
    queueFor,
    add,
    /** Behind the others, so that each has its turn; the records of a topic find their partitions. */
    reopen: (queue: PartitionQueue): void => {
      queue.request = undefined;
      queues.delete(nameOf(queue));
      if (queue.partition === undefined) queue.waiting.values().forEach(add);
      else if (queue.waiting.size > 0) queues.set(nameOf(queue), queue);
    },
    /** The queue of a record that is sent again: that of its partition, where the answer has made that known. */
    intoPartition: (each: QueuedRecord, request: ProduceRequest): PartitionQueue | undefined => {
      const { record, queue } = each;
      const partition = queue?.partition ?? partitionOf(record.topic, record);
      if (queue === undefined || queue.partition === partition) return queue;
      each.queue = queueOf(record.topic, partition);
      each.queue.request = request;
      record.queuedIn = partition;
      request.queues.add(each.queue);
      return each.queue;
    },
    brokerOf: ({ topic, partition }: PartitionQueue): number | string =>
      partition === undefined ? topic : (leaderOf(topic, partition) ?? topic),
  };
};

/** Which partitions refused what was sent to them last, and since when, in ms of the process's monotonic clock; what was long ago says nothing. */
const createRefusals = () => {
  const refusals = new Map<string, { readonly since: number; readonly latest: number }>();
  const since = (queue: PartitionQueue): number | undefined => {
    const refusal = refusals.get(nameOf(queue));
    return refusal && performance.now() - refusal.latest < lapsesAfterMs ? refusal.since : undefined;
  };
  return {
    since,
    has: (queue: PartitionQueue): boolean => since(queue) !== undefined,
    note: (queue: PartitionQueue): void => {
      const latest = performance.now();
      refusals.set(nameOf(queue), { since: since(queue) ?? latest, latest });
    },
    clear: (queue: PartitionQueue): void => {
      if (refusals.size > 0) refusals.delete(nameOf(queue));
    },
  };
};

/**
 * A queue for each partition, and at most one request in flight for each partition and, of those that wait for their first answer, each
 * group: records of a key stay in order, a broker that does not answer holds up only the partitions that it leads, and a partition that
 * refuses only itself and others that do (D-68).
 */
export const createPartitionQueues = (options: QueueOptions): PartitionQueues => {
  const { queues, queueFor, add, reopen, brokerOf, intoPartition } = createRoutes(options.leaders);
  const refusals = createRefusals();
  /** Those without a first answer, and all that are not over. */
  const requests = new PassingMap<Group, ProduceRequest>();
  const inFlight = new PassingSet<ProduceRequest>();
  const groupOf = (queue: PartitionQueue): Group =>
    refusals.has(queue) ? `refused by ${brokerOf(queue)}` : brokerOf(queue);
  const requestOf = (group: Group, same: readonly PartitionQueue[]): ProduceRequest => {
    const wereRefused = same.some(refusals.has);
    const request = { group, wereRefused, sentAt: performance.now(), ...take(same, options) };
    requests.set(group, request);
    inFlight.add(request);
    for (const queue of request.queues) queue.request = request;
    return request;
  };
  return {
    add,
    remove: (each) => each.queue?.waiting.delete(each),
    heldUpSince: (record) => {
      const queue = queueFor(record);
      // Whose own records are held knows since when: behind those of others one more may be the first that is taken.
      if (queue.request) return Math.min(queue.request.sentAt, refusals.since(queue) ?? Infinity);
      return requests.get(groupOf(queue))?.sentAt;
    },
    next: () => {
      const ready = queues.values().filter(({ request, waiting }) => !request && waiting.size > 0);
      const idle = [...Map.groupBy(ready, groupOf)].filter(([group]) => !requests.has(group));
      return idle.map(([group, same]) => requestOf(group, same));
    },
    release: (request, over) => {
      const left = request.records.filter((each) => !over.has(each));
      const held = new Set(left.map((each) => intoPartition(each, request)));
      if (left.length === 0) inFlight.delete(request);
      if (requests.get(request.group) === request) requests.delete(request.group);
      const own = [...request.queues].filter((queue) => queue.request === request);
      for (const queue of own) (held.has(queue) ? refusals.note : reopen)(queue);
    },
    taken: (records) => records.forEach(({ queue }) => queue && refusals.clear(queue)),
    inFlight: () => inFlight.size,
  };
};

import { unavailable } from '#libs/contracts/errors.ts';
import { countEvents } from '../encode-event.ts';
import type { ProducerRecord } from '../encode-event.ts';
import type { IdempotentProducer } from './idempotent-producer.ts';
import type { PartitionQueues, ProduceRequest, QueuedRecord } from './partition-queues.ts';

/** How long records linger at most that nobody waits for, in ms. */
const lingerMs = 50;

/** Sends all that was added in a turn of the event loop after it, and what lingers with the next of those, or soon alone. */
const createSchedule = (sendAll: () => void) => {
  let scheduled = false;
  let lingering: NodeJS.Timeout | undefined;
  return {
    add: ({ lingers }: { readonly lingers?: true | undefined }): void => {
      if (scheduled) return;
      if (lingers) return void (lingering ??= setTimeout(sendAll, lingerMs));
      scheduled = true;
      setImmediate(() => {
        scheduled = false;
        sendAll();
      });
    },
    /** To be called when all is sent. */
    sent: (): void => {
      clearTimeout(lingering);
      lingering = undefined;
    },
  };
};

const settleOnce = (each: QueuedRecord, over: Set<QueuedRecord>, failure: Error | undefined): void => {
  if (!over.has(each)) each.settle(failure);
  over.add(each);
};

/** How requests are sent. */
interface RequestSenderOptions {
  readonly send: IdempotentProducer['send'];
  /** Called with the number of events of each request. */
  readonly onRequest?: ((events: number) => void) | undefined;
  /** Whether the publisher of a record still waits for it. */
  readonly isPending: (each: QueuedRecord) => boolean;
}

/** Sends what waits in the queues, each time it is asked to and each time a request is over or has been taken in part. */
export const createRequestSender = (
  queues: PartitionQueues,
  { send, onRequest, isPending }: RequestSenderOptions,
) => {
  let drained: (() => void) | undefined;
  const sendRequest = async (request: ProduceRequest): Promise<void> => {
    onRequest?.(countEvents(request.records.map(({ record }) => record)));
    const over = new Set<QueuedRecord>();
    const settle = (all: readonly QueuedRecord[], failure?: Error): void => {
      for (const each of all) settleOnce(each, over, failure);
      queues.release(request, over);
      sendAll();
    };
    const stillPending = () => request.records.filter(isPending).map(({ record }) => record);
    const onTaken = (taken: readonly ProducerRecord[]): void => {
      const logged = new Set(taken);
      queues.taken(request.records.filter(({ record }) => logged.has(record)));
      settle(request.records.filter((each) => logged.has(each.record) || !isPending(each)));
    };
    const sent = send(stillPending, { onTaken, wereRefused: request.wereRefused });
    const failure = await sent.then(() => undefined, unavailable);
    if (over.size < request.records.length) settle(request.records, failure);
  };
  const sendAll = (): void => {
    schedule.sent();
    for (const request of queues.next()) void sendRequest(request);
    if (queues.inFlight() === 0) drained?.();
  };
  const schedule = createSchedule(sendAll);
  return {
    schedule: schedule.add,
    /** Resolves when nothing waits and nothing is in flight. */
    drain: (): Promise<void> =>
      new Promise((resolve) => {
        drained = resolve;
        sendAll();
      }),
  };
};

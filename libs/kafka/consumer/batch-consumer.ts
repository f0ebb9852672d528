import type { EachBatchPayload } from 'kafkajs';
import type { EventName } from '#libs/contracts/events.ts';
import type { Component } from '#libs/runtime/service.ts';
import { unbundled } from '../bundle.ts';
import { isWanted } from '../decode-event.ts';
import { whileAlive } from '../while-alive.ts';
import { handleBatch } from './batch-handler.ts';
import type { BatchHandling } from './batch-handler.ts';
import { createDeadLetterQueue } from './dead-letter-queue.ts';
import { createGroupMembership } from './group-membership.ts';
import { createInHand } from './in-hand.ts';
import type { ConsumerGroupOptions, GroupMembership } from './group-membership.ts';
import type { OffsetRange } from '../replay/offset-ranges.ts';
import { offsetsByTopic } from './offset-commits.ts';
import { retryUntilDone } from './retry-until-done.ts';
import { createRangeCheck } from './store-positions.ts';
import type { RangeCheck, StorePositions } from './store-positions.ts';

/** A group, the events it reads, and the handler of all of them that one fetch returned; an event may be delivered twice. */
export interface BatchConsumerOptions<N extends EventName> extends ConsumerGroupOptions {
  readonly events: readonly N[];
  readonly handle: BatchHandling<N>['handle'];
  /** How far the store holds what was consumed. */
  readonly positions: StorePositions;
}

const compareEveryMs = 5_000;

const rangeOf = ({ batch }: EachBatchPayload): OffsetRange => {
  const { topic, partition } = batch;
  return { topic, partition, from: Number(batch.firstOffset()), to: Number(batch.lastOffset()) + 1 };
};

const commit = async (payload: EachBatchPayload): Promise<void> => {
  const { topic, partition, to } = rangeOf(payload);
  payload.resolveOffset(payload.batch.lastOffset());
  const next = { topic, partition, offset: String(to) };
  await payload.commitOffsetsIfNecessary(offsetsByTopic([next]));
};

/** The age of each message that the store has now. */
const measure = ({ metrics }: ConsumerGroupOptions, { batch }: EachBatchPayload): void => {
  const { topic, messages } = batch;
  const ages = metrics.histogram('gsb_kafka_event_age_seconds');
  for (const { timestamp } of messages)
    ages.observe({ topic }, Math.max(0, Date.now() - Number(timestamp)) / 1000);
};

interface Progress {
  readonly ranges: RangeCheck;
  readonly retry: (work: () => Promise<void>) => Promise<boolean>;
  readonly seek: GroupMembership['seek'];
  readonly options: ConsumerGroupOptions;
}

/** Commits a batch that the store holds, or fetches what the store lacks of earlier ones. */
const commitOrRewind = async (
  payload: EachBatchPayload,
  { ranges, retry, seek, options }: Progress,
): Promise<void> => {
  const { topic, partition } = payload.batch;
  let lacksFrom: number | undefined;
  const checked = await retry(async () => void (lacksFrom = await ranges.check(rangeOf(payload))));
  if (lacksFrom !== undefined) seek({ topic, partition, offset: String(lacksFrom) });
  else if (checked) {
    measure(options, payload);
    await commit(payload);
  }
};

/** A partition that has no new messages is compared with the store too. */
const rewindWhatIsBehind = async ({
  ranges,
  seek,
  log,
}: Pick<Progress, 'ranges' | 'seek'> & Pick<ConsumerGroupOptions, 'log'>): Promise<void> => {
  try {
    for (const { offset, ...partition } of await ranges.behind())
      seek({ ...partition, offset: String(offset) });
  } catch (error) {
    log.debug({ error }, 'the positions of the store could not be compared; they will be');
  }
};

const asComponent = (
  group: string,
  membership: GroupMembership,
  { compare, stopping }: { compare: () => Promise<void>; stopping: AbortController },
): Component => {
  let timer: NodeJS.Timeout | undefined;
  return {
    name: `consumer ${group}`,
    start: async (fatal) => {
      await membership.join(fatal);
      timer = setInterval(() => void compare(), compareEveryMs);
    },
    live: membership.live,
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await membership.leave();
    },
  };
};

/**
 * Passes the events of each fetch to one handler, in order for each partition, and commits when it has resolved: for a store that takes
 * many at once. What the store lacks of earlier batches is fetched again. A batch is retried for as long as an outage lasts; on stop an
 * unfinished batch is not committed, and is redelivered.
 */
export const createBatchConsumer = <N extends EventName>(options: BatchConsumerOptions<N>): Component => {
  const { group, events: names, handle, log } = options;
  const wanted: ReadonlySet<string> = new Set(names);
  const deadLetterQueue = createDeadLetterQueue(options);
  const ranges = createRangeCheck(options.positions, log);
  const inHand = createInHand(options);
  const stopping = new AbortController();
  const onRetry = (error: unknown, attempt: number) => {
    membership.noteActivity();
    log.warn({ error, attempt: attempt + 1, group }, 'a batch is tried again');
  };
  const eachBatch = async (payload: EachBatchPayload): Promise<void> => {
    const { topic, partition, messages } = payload.batch;
    const lost = new AbortController();
    const cancelled = AbortSignal.any([stopping.signal, lost.signal]);
    const retry = (work: () => Promise<void>) =>
      retryUntilDone({ work, isCancelled: () => cancelled.aborted, onRetry, stopping: cancelled });
    const fetched = messages.map((message) => ({ topic, partition, message }));
    const batch = fetched.filter((each) => isWanted(wanted, each)).flatMap(unbundled);
    const work = () => handleBatch(batch, { handle, deadLetterQueue, retry });
    // The partition may have been assigned to another consumer.
    const done = await whileAlive(payload, work, (error) => lost.abort(error));
    lost.signal.throwIfAborted();
    if (done) await commitOrRewind(payload, { ranges, retry, seek: membership.seek, options });
  };

  const compare = () => rewindWhatIsBehind({ ranges, seek: (position) => membership.seek(position), log });
  const membership = createGroupMembership({
    ...options,
    names,
    eachBatch: (payload) => eachBatch(payload).finally(inHand.take()),
    autoResolve: false,
    onAssigned: (assignment) => {
      ranges.assigned(assignment);
      void compare();
    },
  });
  return asComponent(group, membership, { compare, stopping });
};

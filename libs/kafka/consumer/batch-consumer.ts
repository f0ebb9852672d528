import type { EachBatchPayload } from 'kafkajs';
import type { EventName } from '#libs/contracts/events.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Component } from '#libs/runtime/service.ts';
import { handleBatch } from './batch-handler.ts';
import type { BatchHandling } from './batch-handler.ts';
import { grouped } from './offset-commits.ts';
import type { KafkaConnection } from '../connection.ts';
import { topicsOf } from './consumer.ts';
import { createDeadLetterQueue } from './dead-letter-queue.ts';
import { createGroupMembership } from './group-membership.ts';
import { retryUntilDone } from './retry-until-done.ts';
import type { Publisher } from '../producer/publisher.ts';
import { isWanted } from '../decode-event.ts';

const heartbeatMs = 1_000;

/** A group, the events it wants, and what it does with as many of them as a fetch brought; each may come twice. */
export interface BatchConsumerOptions<N extends EventName> {
  readonly kafka: KafkaConnection;
  readonly group: string;
  readonly events: readonly N[];
  readonly handle: BatchHandling<N>['handle'];
  readonly deadLetters: Publisher;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Keeps the membership alive while a batch takes long; aborts when the partition may no longer be ours. */
const keepAlive = ({ heartbeat }: EachBatchPayload, lost: AbortController): (() => void) => {
  const beat = () => void heartbeat().catch((error: unknown) => lost.abort(error));
  const timer = setInterval(beat, heartbeatMs);
  return () => clearInterval(timer);
};

const commit = async ({
  batch,
  resolveOffset,
  commitOffsetsIfNecessary,
}: EachBatchPayload): Promise<void> => {
  const { topic, partition } = batch;
  const last = batch.lastOffset();
  resolveOffset(last);
  await commitOffsetsIfNecessary(grouped([{ topic, partition, offset: String(Number(last) + 1) }]));
};

/**
 * Hands the events of each fetch to one function, in order for each partition, and commits after it has resolved. For a store that takes
 * many at once. An outage is waited out; on stop an unfinished batch is left to come again.
 */
export const createBatchConsumer = <N extends EventName>(options: BatchConsumerOptions<N>): Component => {
  const { kafka, group, events: names, handle, deadLetters: publisher, metrics, log } = options;
  const wanted: ReadonlySet<string> = new Set(names);
  const bury = createDeadLetterQueue({ group, publisher, metrics, log });
  const ending = new AbortController();
  const onRetry = (error: unknown, attempt: number) => {
    membership.beat();
    log.warn({ error, attempt: attempt + 1, group }, 'a batch is tried again');
  };

  const eachBatch = async (payload: EachBatchPayload): Promise<void> => {
    const { topic, partition, messages } = payload.batch;
    const lost = new AbortController();
    const leaving = AbortSignal.any([ending.signal, lost.signal]);
    const insist = (work: () => Promise<void>) =>
      retryUntilDone({ work, givenUp: () => leaving.aborted, onRetry, leaving });
    const relax = keepAlive(payload, lost);
    const fetched = messages.map((message) => ({ topic, partition, message }));
    const mine = fetched.filter((each) => isWanted(wanted, each));
    const done = await handleBatch(mine, { handle, bury, insist }).finally(relax);
    lost.signal.throwIfAborted();
    if (done) await commit(payload);
  };

  const topics = topicsOf(names, kafka);
  const membership = createGroupMembership({
    kafka,
    group,
    topics,
    eachBatch,
    autoResolve: false,
    metrics,
    log,
  });
  return {
    name: `consumer ${group}`,
    start: membership.join,
    live: membership.live,
    stop: async () => {
      ending.abort();
      await membership.leave();
    },
  };
};

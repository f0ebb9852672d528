import type { EachBatchPayload } from 'kafkajs';
import type { EventName } from '#libs/contracts/events.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Part } from '#libs/runtime/service.ts';
import { grouped } from './commits.ts';
import type { KafkaConnection } from './connection.ts';
import { topicsOf } from './consumer.ts';
import { createBury } from './dead-letters.ts';
import type { Bury } from './dead-letters.ts';
import type { Fetched } from './envelope.ts';
import { createMembership } from './membership.ts';
import { persist } from './persist.ts';
import type { Publisher } from './producer.ts';
import { concerns, open } from './received.ts';
import type { Received } from './received.ts';

const heartbeatMs = 1_000;

/** A group, the events it wants, and what it does with as many of them as a fetch brought; each may come twice. */
export interface BatchConsumerOptions<N extends EventName> {
  readonly kafka: KafkaConnection;
  readonly group: string;
  readonly events: readonly N[];
  readonly handle: (batch: readonly Received<N>[]) => Promise<void>;
  readonly deadLetters: Publisher;
  readonly metrics: Metrics;
  readonly log: Log;
}

interface Workshop<N extends EventName> {
  readonly handle: (batch: readonly Received<N>[]) => Promise<void>;
  readonly bury: Bury;
  readonly insist: (work: () => Promise<void>) => Promise<boolean>;
}

interface Readable<N extends EventName> {
  readonly fetched: Fetched;
  readonly event: Received<N>;
}

/** The readable ones; the others are put aside. Undefined: given up. */
const openAll = async <N extends EventName>(
  all: readonly Fetched[],
  { bury, insist }: Workshop<N>,
): Promise<Readable<N>[] | undefined> => {
  const readable: Readable<N>[] = [];
  for (const fetched of all) {
    try {
      readable.push({ fetched, event: open(fetched) as Received<N> });
    } catch (error) {
      if (!(await insist(() => bury(fetched, error)))) return undefined;
    }
  }
  return readable;
};

/** All at once; when that fails for good one by one, so that the guilty one is found and put aside. False: given up. */
const handleAll = async <N extends EventName>(
  all: readonly Readable<N>[],
  workshop: Workshop<N>,
): Promise<boolean> => {
  const { handle, bury, insist } = workshop;
  if (all.length === 0) return true;
  try {
    return await insist(() => handle(all.map(({ event }) => event)));
  } catch (error) {
    const [first] = all;
    if (all.length === 1 && first) return insist(() => bury(first.fetched, error));
  }
  for (const one of all) if (!(await handleAll([one], workshop))) return false;
  return true;
};

/** Keeps the membership alive while a batch takes long; aborts when the partition may no longer be ours. */
const keepAlive = ({ heartbeat }: EachBatchPayload, lost: AbortController): (() => void) => {
  const timer = setInterval(() => heartbeat().catch((error: unknown) => lost.abort(error)), heartbeatMs);
  return () => clearInterval(timer);
};

/**
 * Hands the events of each fetch to one function, in order for each partition, and commits after it has resolved. For a store that takes
 * many at once. An outage is waited out; on stop an unfinished batch is left to come again.
 */
export const createBatchConsumer = <N extends EventName>(options: BatchConsumerOptions<N>): Part => {
  const { kafka, group, events: names, handle, deadLetters: publisher, metrics, log } = options;
  const wanted: ReadonlySet<string> = new Set(names);
  const bury = createBury({ group, publisher, metrics, log });
  const ending = new AbortController();
  const onRetry = (error: unknown, attempt: number) =>
    log.warn({ error, attempt: attempt + 1, group }, 'a batch is tried again');

  const eachBatch = async (payload: EachBatchPayload): Promise<void> => {
    const { topic, partition, messages } = payload.batch;
    const lost = new AbortController();
    const signal = AbortSignal.any([ending.signal, lost.signal]);
    const workshop = {
      handle,
      bury,
      insist: (work: () => Promise<void>) =>
        persist({ work, givenUp: () => signal.aborted, onRetry, leaving: signal }),
    };
    const relax = keepAlive(payload, lost);
    try {
      const mine = messages
        .map((message) => ({ topic, partition, message }))
        .filter((each) => concerns(wanted, each));
      const readable = await openAll(mine, workshop);
      const done = readable !== undefined && (await handleAll(readable, workshop));
      if (lost.signal.aborted) throw lost.signal.reason;
      if (!done) return;
      const offset = String(Number(payload.batch.lastOffset()) + 1);
      payload.resolveOffset(payload.batch.lastOffset());
      await payload.commitOffsetsIfNecessary(grouped([{ topic, partition, offset }]));
    } finally {
      relax();
    }
  };

  const membership = createMembership({
    kafka,
    group,
    topics: topicsOf(names, kafka),
    eachBatch,
    autoResolve: false,
    metrics,
    log,
  });
  return {
    name: `consumer ${group}`,
    start: membership.join,
    stop: async () => {
      ending.abort();
      await membership.leave();
    },
  };
};

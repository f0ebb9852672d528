import { events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Component } from '#libs/runtime/service.ts';
import { withDeadline } from '#libs/runtime/wait.ts';
import { createOffsetCommits } from './offset-commits.ts';
import type { KafkaConnection } from '../connection.ts';
import { createDeadLetterQueue } from './dead-letter-queue.ts';
import { createMessageHandler } from './event-handler.ts';
import type { Handlers } from './event-handler.ts';
import { createDispatcher } from './dispatcher.ts';
import type { Dispatcher } from './dispatcher.ts';
import { createGroupMembership } from './group-membership.ts';
import type { GroupMembership } from './group-membership.ts';
import type { Publisher } from '../producer/publisher.ts';
import { createWatermarks } from './watermarks.ts';

const finishDeadlineMs = 4_000;

/** A group, what it does about events, and where the messages go that it cannot handle. */
export interface ConsumerOptions {
  readonly kafka: KafkaConnection;
  readonly group: string;
  readonly handlers: Handlers;
  readonly deadLetters: Publisher;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly clock: Clock;
  /** Told when the group has given it its partitions. */
  readonly onAssigned?: () => void;
}

/** The topics on which these events are said, as they are called on the cluster. */
export const topicsOf = (names: readonly EventName[], kafka: KafkaConnection): string[] => [
  ...new Set(names.map((name) => kafka.onCluster(events[name].topic))),
];

const finished = (intake: Dispatcher): Promise<void> =>
  withDeadline(
    intake.idle(),
    finishDeadlineMs,
    () => new Error(`${intake.size} events in hand were not finished; they come again`),
  );

interface Ending {
  /** Aborted first: nothing more is fetched or tried again. */
  readonly leaving: AbortController;
  /** Aborted then: nothing more begins. */
  readonly over: AbortController;
}

const assemble = (options: ConsumerOptions, { leaving, over }: Ending) => {
  const { kafka, group, handlers, deadLetters: publisher, metrics, log, clock } = options;
  const names = Object.keys(handlers) as EventName[];
  const bury = createDeadLetterQueue({ group, publisher, metrics, log });
  const handle = createMessageHandler({ handlers, bury, metrics, log, clock, leaving: leaving.signal });
  const watermarks = createWatermarks();
  const commits = createOffsetCommits(watermarks, log);
  const membership: GroupMembership = createGroupMembership({
    kafka,
    group,
    topics: topicsOf(names, kafka),
    autoResolve: true,
    eachBatch: async ({ batch, commitOffsetsIfNecessary }) => {
      if (leaving.signal.aborted) return;
      commits.by(commitOffsetsIfNecessary);
      intake.accept(batch);
    },
    onRebalancing: () => void commits.now(),
    onAssigned: (assignment) => {
      watermarks.assign(assignment);
      intake.reassigned();
      options.onAssigned?.();
    },
    metrics,
    log,
  });
  const work = { names: new Set(names), handle, watermarks, tap: membership, over: over.signal };
  const intake = createDispatcher({ ...work, group, metrics, log });
  return { commits, membership, intake };
};

/**
 * Handles the events of the handlers' topics: side by side, in order for each key, off the fetch loop, so that a slow key holds no other.
 * An event counts as done when its handler has resolved; what is not done when the process ends comes again. On stop it finishes what is
 * in hand within four seconds, commits and leaves the group.
 */
export const createConsumer = (options: ConsumerOptions): Component => {
  const { group, log } = options;
  const ending = { leaving: new AbortController(), over: new AbortController() };
  const { commits, membership, intake } = assemble(options, ending);
  const complain = (error: unknown) => log.warn({ error, group }, 'the consumer did not stop cleanly');
  return {
    name: `consumer ${group}`,
    start: async (fatal) => {
      await membership.join(fatal);
      commits.start();
    },
    live: membership.live,
    stop: async () => {
      ending.leaving.abort();
      await finished(intake).catch(complain);
      ending.over.abort();
      await commits.stop().catch(complain);
      await membership.leave();
    },
  };
};

import type { EventName } from '#libs/contracts/events.ts';
import type { TopicName } from '#libs/contracts/topics.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import type { Component } from '#libs/runtime/service.ts';
import { withDeadline } from '#libs/runtime/wait.ts';
import { createDeadLetterQueue } from './dead-letter-queue.ts';
import { createDispatcher } from './dispatcher.ts';
import type { Dispatcher } from './dispatcher.ts';
import { createEventHandler, isForBundles } from './event-handler.ts';
import type { Handlers } from './event-handler.ts';
import { createGroupMembership } from './group-membership.ts';
import type { ConsumerGroupOptions, GroupMembership } from './group-membership.ts';
import { createOffsetCommits } from './offset-commits.ts';
import { topicsOf } from '../topics-of.ts';
import { createWatermarks } from './watermarks.ts';

const finishDeadlineMs = 4_000;

/** A group and the handlers of its events. */
export interface ConsumerOptions extends ConsumerGroupOptions {
  readonly handlers: Handlers;
  /**
   * Topics of which at most so many messages are handled at once: the others wait, on the log where they are many, and nothing of another
   * topic waits for them; their age is not measured, unless the number is Infinity. Of all other topics together 2,000 may be in flight.
   */
  readonly atOnce?: Readonly<Partial<Record<TopicName, number>>>;
  readonly clock: Clock;
  /** Called when the group has assigned partitions to this consumer. */
  readonly onAssigned?: () => void;
}

/** The two steps of an orderly stop. */
interface StopSignals {
  /** Nothing more is fetched or retried. */
  readonly stopping: AbortSignal;
  /** No handler starts any more. */
  readonly stopped: AbortSignal;
}

/** A lane for each topic with a limit of its own, and one for the others. */
const lanesOf = ({ kafka, handlers, atOnce: limits = {} }: ConsumerOptions) => {
  const read = topicsOf(Object.keys(handlers) as EventName[]);
  const others = read.filter((topic) => limits[topic] === undefined).map(kafka.onCluster);
  const limited = read.flatMap((topic) => {
    const atOnce = limits[topic];
    return atOnce === undefined ? [] : [{ topics: [kafka.onCluster(topic)], atOnce }];
  });
  return { all: [{ topics: others, atOnce: Infinity }, ...limited], limited };
};

const assemble = (options: ConsumerOptions, { stopping, stopped }: StopSignals) => {
  const { handlers, log } = options;
  const names = Object.keys(handlers) as EventName[];
  const deadLetterQueue = createDeadLetterQueue(options);
  const lanes = lanesOf(options);
  const waiting = new Set(lanes.limited.flatMap(({ topics, atOnce }) => (atOnce < Infinity ? topics : [])));
  const handle = createEventHandler({ ...options, deadLetterQueue, stopping });
  const watermarks = createWatermarks();
  const commits = createOffsetCommits(watermarks, log);
  const membership: GroupMembership = createGroupMembership({
    ...options,
    names,
    autoResolve: true,
    eachBatch: async ({ batch, commitOffsetsIfNecessary }) => {
      // kafkajs may join inside one of its fetches, while others are out: what they bring of a partition that was lost is another member's.
      if (stopping.aborted || !watermarks.isAssigned(batch)) return;
      commits.throwIfFrozen();
      commits.commitBy(commitOffsetsIfNecessary);
      dispatcher.dispatch(batch);
    },
    onRebalancing: () => void commits.commit(),
    onAssigned: (assignment) => {
      watermarks.assign(assignment);
      dispatcher.reassigned();
      options.onAssigned?.();
    },
  });
  const together = new Set(names.filter((name) => isForBundles(handlers[name])));
  const parts = {
    names: new Set(names),
    together,
    handle,
    deadLetterQueue,
    watermarks,
    waiting,
    consumer: membership,
    stopped,
  };
  const dispatcher: Dispatcher = createDispatcher({ ...options, ...parts, lanes: lanes.all });
  return { commits, membership, dispatcher };
};

/**
 * Handles events concurrently, but in order for each key, apart from the fetch loop: a slow key delays no other. An offset is committed when
 * the handlers of all messages up to it have resolved; the other messages are redelivered after a restart. On stop it finishes the messages
 * in flight within four seconds, commits and leaves the group.
 */
export const createConsumer = (options: ConsumerOptions): Component => {
  const { group, log } = options;
  const [stopping, stopped] = [new AbortController(), new AbortController()];
  const signals = { stopping: stopping.signal, stopped: stopped.signal };
  const { commits, membership, dispatcher } = assemble(options, signals);
  const unfinished = () =>
    new Error(`${dispatcher.size} events in flight were not finished; they will be redelivered`);
  const warn = (error: unknown) => log.warn({ error, group }, 'the consumer did not stop cleanly');
  return {
    name: `consumer ${group}`,
    start: async (fatal) => {
      await membership.join(fatal);
      commits.start();
    },
    live: () => membership.live() && commits.live(),
    stop: async () => {
      stopping.abort();
      await withDeadline(dispatcher.idle(), finishDeadlineMs, unfinished).catch(warn);
      stopped.abort();
      await commits.stop().catch(warn);
      await membership.leave();
    },
  };
};

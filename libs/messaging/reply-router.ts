import { z } from 'zod';
import type { EventMeta } from '#libs/contracts/delivery.ts';
import { unavailable } from '#libs/contracts/errors.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import { PassingMap } from '#libs/kernel/passing-map.ts';
import { connectPatiently } from '#libs/redis/connect-patiently.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { giveUpCommands } from '#libs/redis/give-up-commands.ts';
import { pingConnection } from '#libs/redis/ping-connection.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Component } from '#libs/runtime/service.ts';

const mostWaiters = 20_000;
const message = z.array(z.tuple([z.string(), z.unknown()]));
type Message = z.output<typeof message>;

/** Sends the reply of a contract to the caller that waits for the outcome of an event; nothing when nobody waits. */
export type SendReply = <S extends z.ZodType>(
  meta: Pick<EventMeta, 'request'>,
  contract: S,
  outcome: z.input<S>,
) => void;

/** Routes replies to the replica whose caller waits. A lost reply loses an answer, never work. */
export interface ReplyRouter {
  /**
   * Opens a place to wait at: its address, and the reply, or undefined when the deadline (ms since epoch) passes first. Throws UNAVAILABLE
   * when all places are taken, so that nothing is published for who could not be answered (D-42).
   */
  expect(deadlineMs: number, requestId?: string): { replyTo: string; outcome: Promise<unknown> };
  readonly reply: SendReply;
}

interface ReplyRouterOptions {
  readonly redis: Redis;
  readonly instance: string;
  /** Random, new with each start of a process: a container that restarts keeps its name, and must not get its predecessor's replies. */
  readonly bootId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** How many may wait at once. */
  readonly places?: number;
}

const channelOf = (instance: string) => `gsb:replies:${instance}`;

/** The callers that wait in this process: bounded, each with a deadline. */
const createWaiters = (clock: Clock, places: number) => {
  const waiters = new PassingMap<string, (outcome: unknown) => void>();
  return {
    isFull: () => waiters.size >= places,
    wait: (waiter: string, deadlineMs: number) =>
      new Promise<unknown>((resolve) => {
        const done = (outcome: unknown) => {
          clearTimeout(timer);
          waiters.delete(waiter);
          resolve(outcome);
        };
        const timer = setTimeout(done, Math.max(0, deadlineMs - clock()), undefined);
        waiters.set(waiter, done);
      }),
    resolve: (waiter: string, outcome: unknown) => waiters.get(waiter)?.(outcome),
    /** Nobody waits any more. */
    release: () => waiters.values().forEach((done) => done(undefined)),
  };
};

/** Sends replies to other replicas: those of one tick to the same replica are one message. */
const createSender = (redis: Redis, log: Log) => {
  let pending = new Map<string, Message>();
  const flush = () => {
    const leaving = pending;
    pending = new Map();
    for (const [instance, outcomes] of leaving) {
      redis.publish(channelOf(instance), JSON.stringify(outcomes)).catch((error: unknown) => {
        log.warn({ error }, 'replies were lost');
      });
    }
  };
  return (instance: string, waiter: string, outcome: unknown) => {
    if (pending.size === 0) setImmediate(flush);
    const outcomes = pending.get(instance) ?? [];
    outcomes.push([waiter, outcome]);
    pending.set(instance, outcomes);
  };
};

const parseMessage = (text: string): Message => {
  try {
    return message.parse(JSON.parse(text));
  } catch {
    return [];
  }
};

/**
 * A subscription that is made anew on each connection. The driver renews one by itself, but does not catch the failure of that, and never
 * tries it again: a replica would be deaf.
 */
const createSubscription = ({ redis, log }: Pick<ReplyRouterOptions, 'redis' | 'log'>, channel: string) => {
  const subscriber = redis.duplicate({ autoResubscribe: false });
  giveUpCommands(subscriber);
  pingConnection(subscriber);
  subscriber.on('error', (error) => log.warn({ error }, 'redis subscription failed'));
  const stopped = new AbortController();
  let isSubscribed = false;
  const subscribe = (): void => {
    const reconnect = (error: unknown): void => {
      log.warn({ error }, 'replies could not be subscribed to; connecting again');
      subscriber.disconnect(true);
    };
    subscriber.subscribe(channel).then(() => (isSubscribed = true), reconnect);
  };
  return {
    /** Resolves when subscribed for the first time, however long Redis is away. */
    start: (receive: (text: string) => void): Promise<void> => {
      subscriber.on('message', (_channel: string, text: string) => receive(text)).on('ready', subscribe);
      return connectPatiently(subscriber, {
        isDone: () => isSubscribed,
        log,
        stopped: stopped.signal,
      });
    },
    stop: () => {
      stopped.abort();
      subscriber.disconnect();
    },
  };
};

/** Replies over Redis pub/sub, and directly where the caller waits in this process. */
export const createReplyRouter = ({
  redis,
  instance,
  bootId,
  clock,
  log,
  places = mostWaiters,
}: ReplyRouterOptions): ReplyRouter & Component => {
  const subscription = createSubscription({ redis, log }, channelOf(`${instance}.${bootId}`));
  const waiters = createWaiters(clock, places);
  const send = createSender(redis, log);
  const address = `${instance}.${bootId}`;
  let opened = 0;
  const receive = (text: string) => {
    for (const [waiter, outcome] of parseMessage(text)) waiters.resolve(waiter, outcome);
  };
  return {
    name: 'replies',
    start: () => subscription.start(receive),
    stop: async () => {
      waiters.release();
      subscription.stop();
    },
    expect: (deadlineMs, requestId = '') => {
      if (waiters.isFull()) throw unavailable();
      const waiter = `${(opened += 1)}.${requestId}`;
      return { replyTo: `${address}#${waiter}`, outcome: waiters.wait(waiter, deadlineMs) };
    },
    reply: ({ request }, _contract, outcome) => {
      const [where, waiter] = request?.replyTo?.split('#') ?? [];
      if (where === undefined || waiter === undefined) return;
      if (where === address) waiters.resolve(waiter, outcome);
      else send(where, waiter, outcome);
    },
  };
};

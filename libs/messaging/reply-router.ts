import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '#libs/kernel/clock.ts';
import type { RequestContext } from '#libs/runtime/request-context.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Component } from '#libs/runtime/service.ts';

const mostWaiters = 20_000;
const message = z.array(z.tuple([z.string(), z.unknown()]));
type Message = z.output<typeof message>;

/** Where an answer goes: the replica and the waiter in it. */
const replyTo = (instance: string, waiter: string) => `${instance}#${waiter}`;

/** Answers on their way to the replica whose caller waits (architecture, idea C). Losing one loses an answer, never work. */
export interface ReplyRouter {
  /** Opens a place to wait at: `replyTo` for the conversation, and the outcome, or undefined when the deadline (ms since epoch) passes first. */
  expect(deadlineMs: number): { replyTo: string; outcome: Promise<unknown> };
  /** Tells the replica that the conversation names; without a conversation nobody waits and nothing is sent. */
  tell(conversation: RequestContext | undefined, outcome: unknown): void;
}

interface RepliesOptions {
  readonly redis: Redis;
  readonly instance: string;
  readonly clock: Clock;
  readonly log: Log;
}

const channelOf = (instance: string) => `gsb:replies:${instance}`;

/** A room of waiting callers: bounded, each with a deadline. */
const waitingRoom = (clock: Clock) => {
  const waiters = new Map<string, (outcome: unknown) => void>();
  return {
    enter: (waiter: string, deadlineMs: number) =>
      new Promise<unknown>((resolve) => {
        if (waiters.size >= mostWaiters) return resolve(undefined);
        const leave = (outcome: unknown) => {
          clearTimeout(timer);
          waiters.delete(waiter);
          resolve(outcome);
        };
        const timer = setTimeout(leave, Math.max(0, deadlineMs - clock()), undefined);
        waiters.set(waiter, leave);
      }),
    answer: (waiter: string, outcome: unknown) => waiters.get(waiter)?.(outcome),
  };
};

/** Outcomes for other replicas, gathered per tick: many in one message. */
const outbox = (redis: Redis, log: Log) => {
  const pending = new Map<string, Message>();
  const flush = () => {
    for (const [instance, outcomes] of pending) {
      redis.publish(channelOf(instance), JSON.stringify(outcomes)).catch((error: unknown) => {
        log.warn({ error }, 'replies were lost');
      });
    }
    pending.clear();
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

/** Replies over Redis pub/sub, and directly where the waiter sits in this very process. */
export const createReplyRouter = ({
  redis,
  instance,
  clock,
  log,
}: RepliesOptions): ReplyRouter & Component => {
  const subscriber = redis.duplicate();
  subscriber.on('error', (error) => log.warn({ error }, 'redis subscription failed'));
  const room = waitingRoom(clock);
  const send = outbox(redis, log);
  let entered = 0;
  const receive = (_channel: string, text: string) => {
    for (const [waiter, outcome] of parseMessage(text)) room.answer(waiter, outcome);
  };
  return {
    name: 'replies',
    start: async () => {
      subscriber.on('message', receive);
      await subscriber.connect();
      await subscriber.subscribe(channelOf(instance));
    },
    stop: async () => {
      subscriber.disconnect();
    },
    expect: (deadlineMs) => {
      const waiter = String((entered += 1));
      return { replyTo: replyTo(instance, waiter), outcome: room.enter(waiter, deadlineMs) };
    },
    tell: (conversation, outcome) => {
      const [where, waiter] = conversation?.replyTo?.split('#') ?? [];
      if (where === undefined || waiter === undefined) return;
      if (where === instance) room.answer(waiter, outcome);
      else send(where, waiter, outcome);
    },
  };
};

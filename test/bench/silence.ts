import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { specLimits } from '#libs/kernel/limits.ts';
import { shards } from '#libs/kernel/shards.ts';
import { shardKey } from '#libs/records/shard-key.ts';
import { agreeToExpiry } from '#libs/records/suspend-expiries.ts';
import { partnerClient } from '../../services/billing-adapter/adapters/partner-client.ts';
import type { PartnerTransport } from '../../services/billing-adapter/adapters/partner-transport.ts';
import { redisSessions, sessionsPrefix } from '../../services/game-session/adapters/redis-sessions.ts';
import { silentAtMs } from '../../services/game-session/core/session.ts';
import type { Session } from '../../services/game-session/core/session.ts';
import { syntheticSession } from '../support/synthetic-session.ts';
import type { Driven } from './the-stack.ts';

/** How long the sessions are written before they are due, in ms for each of them. */
const writingMs = 0.5;
const inFlight = 64;
const lookEveryMs = 100;
const giveUpMs = 600_000;

/** Sessions that fall silent at once. */
export interface Silence {
  /** When their deadlines pass, in ms since the epoch. */
  readonly dueAtMs: number;
  /** Resolves when none of them plays any more, to how long after their deadlines that was, in seconds. */
  swept(): Promise<number>;
}

/** The partner bills them, as it does whoever has begun to play. */
const billAll = async ({ partner }: Driven, sessions: readonly Session[]): Promise<void> => {
  const headers = { authorization: `Bearer ${partner.token}`, 'content-type': 'application/json' };
  const call: PartnerTransport['call'] = async ({ method, path, body }, parse) => {
    const answer = await fetch(`${partner.url}${path}`, { method, headers, body: JSON.stringify(body) });
    return parse({ status: answer.status, json: await answer.json() });
  };
  const { start } = partnerClient({ call }, 1);
  const waiting = sessions.values();
  const bill = async (): Promise<void> => {
    for (const session of waiting) {
      const { outcome } = await start(session);
      if (outcome !== 'started') throw new Error(`the partner does not start a billing: ${outcome}`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, bill));
};

/**
 * Writes sessions to the hot view whose last sign of life is so long ago that all are overdue in one moment, to which an operator agrees
 * (D-25). That moment is chosen once all is `ready`, which is asked for when the partner bills them, because that takes minutes: whoever sat
 * before would have fallen silent too.
 */
export const fallSilent = async (
  stack: Driven,
  count: number,
  ready: () => Promise<void>,
): Promise<Silence> => {
  const redis = new Redis(stack.redis.url, { maxRetriesPerRequest: 1 });
  const key = shardKey(sessionsPrefix);
  const cafe = stack.cafes[0]?.cafe_id ?? '';
  const billedMs = Date.now();
  const billed = Array.from({ length: count }, () => syntheticSession(cafe, billedMs));
  await billAll(stack, billed);
  await ready();
  const dueAtMs = Date.now() + 10_000 + count * writingMs;
  const seenAtMs = dueAtMs - silentAtMs(0, specLimits);
  const instants = { startedAtMs: seenAtMs, lastSeenAtMs: seenAtMs, deadlineAtMs: dueAtMs };
  const silent = billed.map((session) => ({ ...session, ...instants }));
  await redisSessions(redis, specLimits, { packs: true }).restore(silent);
  await agreeToExpiry(redis, sessionsPrefix);
  if (Date.now() > dueAtMs) throw new Error('the sessions were due before all of them were written');
  const overdue = async (): Promise<number> => {
    const counts = await Promise.all(
      shards.map((shard) => redis.zcount(key(shard, 'expiries'), '-inf', dueAtMs)),
    );
    return counts.reduce((sum, each) => sum + each, 0);
  };
  return {
    dueAtMs,
    swept: async () => {
      await setTimeout(Math.max(0, dueAtMs - Date.now()));
      while ((await overdue()) > 0) {
        if (Date.now() > dueAtMs + giveUpMs) throw new Error(`not swept within ${giveUpMs / 1000} s`);
        await setTimeout(lookEveryMs);
      }
      redis.disconnect();
      return (Date.now() - dueAtMs) / 1000;
    },
  };
};

import { z } from 'zod';
import type { Clock } from '#libs/kernel/clock.ts';
import { shardOfGameSession, shards } from '#libs/kernel/shards.ts';
import { shardKey } from '#libs/records/shard-key.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { loadScript } from '#libs/redis/script.ts';
import { orUnavailable } from '#libs/redis/unavailable.ts';
import type { PendingEvent, Ports } from '../ports.ts';
import { sessionsPrefix } from './redis-sessions.ts';

/** Longer than publishing takes: what a replica that died has taken is published by another one after that. */
const holdMs = 35_000;

const takeScript = loadScript({
  file: new URL('./take-pending.lua', import.meta.url),
  keys: ['pending', 'taken'],
  args: ['batch_size', 'taker', 'hold_ms'],
  answer: z.array(z.string()),
});
const removeScript = loadScript({
  file: new URL('./remove-pending.lua', import.meta.url),
  keys: ['pending', 'taken'],
  args: ['game_session_id', 'noted_at_ms'],
  answer: z.literal('ok'),
});
const keyOf = (shard: string) => shardKey(sessionsPrefix)(shard, 'unsaid');
const keysOf = (shard: string) => [keyOf(shard), shardKey(sessionsPrefix)(shard, 'unsaid-taken')];

const pairs = (flat: readonly string[]): PendingEvent[] =>
  Array.from({ length: flat.length / 2 }, (_, index) => ({
    gameSessionId: flat[2 * index] ?? '',
    notedAtMs: flat[2 * index + 1] ?? '',
  }));

/** Sessions whose newest state the log did not take: at most one entry a session, ordered by when it was added; one replica publishes each (D-23). */
export const redisPendingEvents = (redis: Redis, instance: string, clock: Clock): Ports['pending'] => ({
  add: async (gameSessionId) => {
    await redis.zadd(keyOf(shardOfGameSession(gameSessionId)), clock(), gameSessionId).catch(orUnavailable);
  },
  oldest: async (batchSize) => {
    const each = (shard: string) => takeScript(redis, keysOf(shard), [batchSize, instance, holdMs]);
    return pairs((await Promise.all(shards.map(each)).catch(orUnavailable)).flat());
  },
  remove: async ({ gameSessionId, notedAtMs }) => {
    const keys = keysOf(shardOfGameSession(gameSessionId));
    await removeScript(redis, keys, [gameSessionId, notedAtMs]).catch(orUnavailable);
  },
});

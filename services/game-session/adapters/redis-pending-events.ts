import { z } from 'zod';
import type { Clock } from '#libs/kernel/clock.ts';
import { shardOfGameSession, shards } from '#libs/kernel/shards.ts';
import { shardKey } from '#libs/records/shard-key.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { loadScript } from '#libs/redis/script.ts';
import { orUnavailable } from '#libs/redis/unavailable.ts';
import type { Ports } from '../ports.ts';
import { sessionsPrefix } from './redis-sessions.ts';

const saidScript = loadScript({
  file: new URL('./remove-pending.lua', import.meta.url),
  keys: ['unsaid'],
  args: ['game_session_id', 'noted_at_ms'],
  answer: z.literal('ok'),
});
const keyOf = (shard: string) => shardKey(sessionsPrefix)(shard, 'unsaid');

const pairs = (flat: readonly string[]) =>
  Array.from({ length: flat.length / 2 }, (_, index) => ({
    gameSessionId: flat[2 * index] ?? '',
    notedAtMs: flat[2 * index + 1] ?? '',
  }));

/** Sessions whose newest state the log did not take: at most one note a session, in the order in which they were noted (D-23). */
export const redisPendingEvents = (redis: Redis, clock: Clock): Ports['unsaid'] => ({
  note: async (gameSessionId) => {
    await redis.zadd(keyOf(shardOfGameSession(gameSessionId)), clock(), gameSessionId).catch(orUnavailable);
  },
  oldest: async (bite) => {
    const each = (shard: string) => redis.zrange(keyOf(shard), 0, String(bite - 1), 'WITHSCORES');
    return pairs((await Promise.all(shards.map(each)).catch(orUnavailable)).flat());
  },
  said: async ({ gameSessionId, notedAtMs }) => {
    const keys = [keyOf(shardOfGameSession(gameSessionId))];
    await saidScript(redis, keys, [gameSessionId, notedAtMs]).catch(orUnavailable);
  },
});

import { z } from 'zod';
import { gameSession } from '#libs/contracts/events/game-sessions.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { shardOfGameSession } from '#libs/kernel/shards.ts';
import type { TrustedServer } from '#libs/records/record-types.ts';
import { shardKey } from '#libs/records/shard-key.ts';
import { guarded } from '#libs/records/store-context.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { loadScript } from '#libs/redis/script.ts';
import { silentAtMs } from '../core/session.ts';
import type { Ports } from '../ports.ts';

const beatScript = loadScript({
  file: new URL('./beat.lua', import.meta.url),
  keys: ['record', 'expiries', 'marks', 'watch'],
  args: ['id', 'game_id', 'provider_user_id', 'window_ms', 'server'],
  answer: z.tuple([z.number(), z.string()]),
});

const field = (name: string, value: string): string => `"${name}":${JSON.stringify(value)}`;

/** The common heartbeat in one round trip, where `update` takes two. */
export const redisBeat = (
  { redis, prefix, trust }: { redis: Redis; prefix: string; trust?: TrustedServer | undefined },
  limits: Limits,
): Ports['sessions']['beat'] => {
  const key = shardKey(prefix);
  const windowMs = silentAtMs(0, limits);
  return (gameSessionId, { gameId, providerUserId }) =>
    guarded({ trust }, async (server) => {
      const shard = shardOfGameSession(gameSessionId);
      const keys = [`record:${gameSessionId}`, 'expiries', 'marks', 'watch'].map((name) => key(shard, name));
      const whose = [field('game_id', gameId), field('provider_user_id', providerUserId)];
      const [nowMs, json] = await beatScript(redis, keys, [gameSessionId, ...whose, windowMs, server]);
      return json === '' ? undefined : { nowMs, session: fromWire(gameSession, JSON.parse(json)) };
    });
};

import { z } from 'zod';
import { rateLimited } from '#libs/contracts/errors.ts';
import { gameSession } from '#libs/contracts/events/game-sessions.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import { intervalMs } from '#libs/kernel/rate.ts';
import type { RateLimit } from '#libs/kernel/rate.ts';
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
  args: ['id', 'game_id', 'provider_user_id', 'window_ms', 'server', 'interval_ms', 'burst'],
  answer: z.tuple([z.number(), z.string(), z.number()]),
});

const field = (name: string, value: string): string => `"${name}":${JSON.stringify(value)}`;

interface BeatOptions {
  readonly redis: Redis;
  readonly prefix: string;
  readonly trust?: TrustedServer | undefined;
  /** How often one session may have heartbeats; without it as often as it likes. */
  readonly heartbeats?: RateLimit | undefined;
}

/** The common heartbeat in one round trip, where `updateByBeat` takes two. */
export const redisBeat = (
  { redis, prefix, trust, heartbeats }: BeatOptions,
  limits: Limits,
): Ports['sessions']['beat'] => {
  const key = shardKey(prefix);
  const windowMs = silentAtMs(0, limits);
  const rate = heartbeats === undefined ? [0, 1] : [intervalMs(heartbeats), heartbeats.burst];
  return async (gameSessionId, { gameId, providerUserId }) => {
    const shard = shardOfGameSession(gameSessionId);
    const keys = [`record:${gameSessionId}`, 'expiries', 'marks', 'watch'].map((name) => key(shard, name));
    const whose = [field('game_id', gameId), field('provider_user_id', providerUserId)];
    const [nowMs, json, waitMs] = await guarded({ trust }, (server) =>
      beatScript(redis, keys, [gameSessionId, ...whose, windowMs, server, ...rate]),
    );
    if (heartbeats && waitMs > 0) throw rateLimited(heartbeats, waitMs);
    return json === '' ? undefined : { nowMs, session: fromWire(gameSession, JSON.parse(json)) };
  };
};

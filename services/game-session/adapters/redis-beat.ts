import { z } from 'zod';
import { rateLimited } from '#libs/contracts/errors.ts';
import { intervalMs } from '#libs/kernel/rate.ts';
import type { RateLimit } from '#libs/kernel/rate.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { shardOfGameSession } from '#libs/kernel/shards.ts';
import type { TrustedServer } from '#libs/records/record-types.ts';
import { shardKey } from '#libs/records/shard-key.ts';
import { guarded } from '#libs/records/store-context.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { inOneCall } from '#libs/runtime/in-one-call.ts';
import { loadScript } from '#libs/redis/script.ts';
import { silentAtMs } from '../core/session.ts';
import type { Beaten, Ports } from '../ports.ts';

/** Sessions in one call of the script, which Redis runs for about 10 us each. */
const mostAtOnce = 100;

const beatScript = loadScript({
  file: new URL('./beat.lua', import.meta.url),
  keys: ['expiries', 'marks', 'watch', 'records...'],
  args: ['window_ms', 'server', 'interval_ms', 'burst', 'callers...'],
  answer: z.tuple([z.number(), z.array(z.tuple([z.string(), z.number(), z.number()]))]),
});

/** A session and whose it has to be, as fields of its record's JSON. */
interface Heartbeat {
  readonly gameSessionId: string;
  readonly whose: readonly [gameId: string, providerUserId: string];
}

/** What the script said of one heartbeat. */
interface Answer {
  readonly nowMs: number;
  readonly json: string;
  readonly playDurationSec: number;
  /** How long the session has to wait, in ms; 0: it need not. */
  readonly waitMs: number;
}

const field = (name: string, value: string): string => `"${name}":${JSON.stringify(value)}`;

interface BeatOptions {
  readonly redis: Redis;
  readonly prefix: string;
  readonly trust?: TrustedServer | undefined;
  /** How often one session may have heartbeats; without it as often as it likes. */
  readonly heartbeats?: RateLimit | undefined;
}

/** The common heartbeat in one round trip, which those of one turn of the event loop share in each shard, where `updateByBeat` takes two for each. */
export const redisBeat = (
  { redis, prefix, trust, heartbeats }: BeatOptions,
  limits: Limits,
): Ports['sessions']['beat'] => {
  const key = shardKey(prefix);
  const windowMs = silentAtMs(0, limits);
  const rate = heartbeats === undefined ? [0, 1] : [intervalMs(heartbeats), heartbeats.burst];
  const beatAll = async (shard: string, beats: readonly Heartbeat[]): Promise<Answer[]> => {
    const records = beats.map(({ gameSessionId }) => `record:${gameSessionId}`);
    const keys = ['expiries', 'marks', 'watch', ...records].map((name) => key(shard, name));
    const callers = beats.flatMap(({ gameSessionId, whose }) => [gameSessionId, ...whose]);
    const [nowMs, answers] = await guarded({ trust }, (server) =>
      beatScript(redis, keys, [windowMs, server, ...rate, ...callers]),
    );
    return answers.map(([json, playDurationSec, waitMs]) => ({ nowMs, json, playDurationSec, waitMs }));
  };
  const inShard = inOneCall(mostAtOnce, beatAll);
  return async (gameSessionId, { gameId, providerUserId }): Promise<Beaten | undefined> => {
    const whose = [field('game_id', gameId), field('provider_user_id', providerUserId)] as const;
    const answer = await inShard(shardOfGameSession(gameSessionId), { gameSessionId, whose });
    const { nowMs, json, playDurationSec, waitMs } = answer;
    if (heartbeats && waitMs > 0) throw rateLimited(heartbeats, waitMs);
    if (json === '') return undefined;
    const deadlineAtMs = nowMs + windowMs;
    const session = { state: 'active', endReason: null, exhaustedAtMs: null, deadlineAtMs } as const;
    return { nowMs, session: { ...session, playDurationSec }, json };
  };
};

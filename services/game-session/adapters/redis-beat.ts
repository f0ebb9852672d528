import { z } from 'zod';
import { rateLimited } from '#libs/contracts/errors.ts';
import { intervalMs } from '#libs/kernel/rate.ts';
import type { RateLimit } from '#libs/kernel/rate.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { shardOfGameSession } from '#libs/kernel/shards.ts';
import type { TrustedServer } from '#libs/records/record-types.ts';
import { shardKey } from '#libs/records/shard-key.ts';
import { guarded, inPairs, unpacked } from '#libs/records/store-context.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { inOneCall } from '#libs/runtime/in-one-call.ts';
import { loadScript } from '#libs/redis/script.ts';
import { silentAtMs } from '../core/session.ts';
import type { Beaten, Ports } from '../ports.ts';
import { sessionForm } from './session-form.ts';

/** Sessions in one call of the script, which Redis runs for about 10 us each. */
const mostAtOnce = 100;

const beatScript = loadScript({
  file: new URL('./beat.lua', import.meta.url),
  keys: ['expiries', 'marks', 'watch', 'records...'],
  args: ['window_ms', 'server', 'interval_ms', 'burst', 'callers...'],
  answer: z.tuple([z.number(), z.array(z.tuple([z.array(z.string()), z.number()]))]),
});

/** A session and whose it has to be. */
interface Heartbeat {
  readonly gameSessionId: string;
  readonly whose: readonly [gameId: string, providerUserId: string];
}

/** What the script said of one heartbeat. */
interface Answer {
  readonly nowMs: number;
  readonly hash: readonly string[];
  /** How long the session has to wait, in ms; 0: it need not. */
  readonly waitMs: number;
}

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
    return answers.map(([hash, waitMs]) => ({ nowMs, hash, waitMs }));
  };
  const inShard = inOneCall(mostAtOnce, beatAll);
  return async (gameSessionId, { gameId, providerUserId }): Promise<Beaten | undefined> => {
    const beat = { gameSessionId, whose: [gameId, providerUserId] } as const;
    const { nowMs, hash, waitMs } = await inShard(shardOfGameSession(gameSessionId), beat);
    if (heartbeats && waitMs > 0) throw rateLimited(heartbeats, waitMs);
    if (hash.length === 0) return undefined;
    const wire = unpacked(sessionForm, gameSessionId, inPairs(hash));
    const playDurationSec = Number(wire['play_duration_sec']);
    const deadlineAtMs = nowMs + windowMs;
    const session = { state: 'active', endReason: null, exhaustedAtMs: null, deadlineAtMs } as const;
    return { nowMs, session: { ...session, playDurationSec }, json: JSON.stringify(wire) };
  };
};

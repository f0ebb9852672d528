import { z } from 'zod';
import { rateLimited } from '#libs/contracts/errors.ts';
import { intervalMs } from '#libs/kernel/rate.ts';
import type { RateLimit } from '#libs/kernel/rate.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { shardOfGameSession } from '#libs/kernel/shards.ts';
import { packName } from '#libs/records/packing.ts';
import { shardKey } from '#libs/records/shard-key.ts';
import { inLines, mostAtOnce, unpacked } from '#libs/records/store-context.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { inOneCall } from '#libs/runtime/in-one-call.ts';
import { bucketLua, loadScript } from '#libs/redis/script.ts';
import { silentAtMs } from '../core/session.ts';
import type { Beaten, Ports } from '../ports.ts';
import type { AwaitedCalls } from './awaited-calls.ts';
import { sessionForm, usualWindowMs } from './session-form.ts';

const beatScript = loadScript({
  file: new URL('./beat.lua', import.meta.url),
  beginsWith: bucketLua,
  keys: ['expiries', 'marks', 'watch', 'records...'],
  args: ['window_ms', 'usual_window_ms', 'server', 'interval_ms', 'burst', 'answer_by_ms', 'callers...'],
  answer: z.tuple([z.number(), z.array(z.union([z.string(), z.number()]))]),
});

/** A session and whose it has to be, as its record says it. */
interface Heartbeat {
  readonly gameSessionId: string;
  readonly whose: readonly [gameId: string, providerUserId: string];
}

/** What the script said of one heartbeat. */
interface Answer {
  readonly nowMs: number;
  /** The record's names and values, a line each; empty where there is more to say; or how long the session has to wait, in ms. */
  readonly found: string | number;
}

interface BeatOptions {
  readonly redis: Redis;
  readonly prefix: string;
  /** How often one session may have heartbeats; without it as often as it likes. */
  readonly heartbeats?: RateLimit | undefined;
  readonly awaited: AwaitedCalls;
}

/** The common heartbeat in one round trip, which those of one turn of the event loop share in each shard, where `updateByBeat` takes two for each. */
export const redisBeat = (
  { redis, prefix, heartbeats, awaited }: BeatOptions,
  limits: Limits,
): Ports['sessions']['beat'] => {
  const key = shardKey(prefix);
  const windowMs = silentAtMs(0, limits);
  const rate = heartbeats === undefined ? [0, 1] : [intervalMs(heartbeats), heartbeats.burst];
  const beatAll = async (shard: string, beats: readonly Heartbeat[]): Promise<Answer[]> => {
    const records = beats.map(({ gameSessionId }) => `record:${gameSessionId}`);
    const keys = ['expiries', 'marks', 'watch', ...records].map((name) => key(shard, name));
    const callers = beats.flatMap(({ gameSessionId, whose }) => [gameSessionId, ...whose]);
    const [nowMs, answers] = await awaited(shard, (server, answerByMs) =>
      beatScript(redis, keys, [windowMs, usualWindowMs, server, ...rate, answerByMs, ...callers]),
    );
    return answers.map((found) => ({ nowMs, found }));
  };
  const inShard = inOneCall(mostAtOnce, beatAll);
  return async (gameSessionId, { gameId, providerUserId }): Promise<Beaten | undefined> => {
    const beat = { gameSessionId, whose: [gameId, packName(providerUserId)] } as const;
    const { nowMs, found } = await inShard(shardOfGameSession(gameSessionId), beat);
    if (heartbeats && typeof found === 'number') throw rateLimited(heartbeats, found);
    if (typeof found === 'number' || found === '') return undefined;
    const wire = unpacked(sessionForm, gameSessionId, inLines(found));
    const playDurationSec = Number(wire['play_duration_sec']);
    const deadlineAtMs = Number(wire['last_seen_at_ms']) + windowMs;
    const session = { state: 'active', endReason: null, exhaustedAtMs: null, deadlineAtMs } as const;
    const cafeId = String(wire['cafe_id']);
    return { nowMs, session: { ...session, playDurationSec }, cafeId, json: JSON.stringify(wire) };
  };
};

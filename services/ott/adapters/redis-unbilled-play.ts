import { z } from 'zod';
import type { Redis } from '#libs/redis/connection.ts';
import { loadScript } from '#libs/redis/script.ts';
import { orUnavailable } from '#libs/redis/unavailable.ts';
import type { Ports } from '../ports.ts';

/** A cafe's pending starts are forgotten a week after the last of them: their stops are retried for two days, and past the cap none follows. */
const rememberedSec = 604_800;
const keyOf = (cafeId: string) => `gsb:ott:{${cafeId}}:unbilled-play`;

const answer = z.literal('ok');
const noLongerPlays = new URL('./no-longer-plays.lua', import.meta.url);
const beginScript = loadScript({
  file: new URL('./begin-unbilled.lua', import.meta.url),
  keys: ['play'],
  args: ['game_session_id', 'started_at_ms', 'kept_sec'],
  answer,
});
const holdScript = loadScript({
  file: new URL('./hold-unbilled.lua', import.meta.url),
  beginsWith: noLongerPlays,
  keys: ['play'],
  args: ['game_session_id', 'played_ms'],
  answer,
});
const endScript = loadScript({
  file: new URL('./end-unbilled.lua', import.meta.url),
  beginsWith: noLongerPlays,
  keys: ['play'],
  args: ['game_session_id'],
  answer,
});

/** Sessions of each cafe whose billing is pending, by the instant of their start, or by their length where they are over (D-26); asking costs the same for one session and for thousands. */
export const redisUnbilledPlay = (redis: Redis): Ports['unbilled'] => ({
  begin: async (cafeId, gameSessionId, startedAtMs) => {
    const args = [gameSessionId, startedAtMs, rememberedSec];
    await beginScript(redis, [keyOf(cafeId)], args).catch(orUnavailable);
  },
  hold: async (cafeId, gameSessionId, playedSec) => {
    await holdScript(redis, [keyOf(cafeId)], [gameSessionId, playedSec * 1000]).catch(orUnavailable);
  },
  end: async (cafeId, gameSessionId) => {
    await endScript(redis, [keyOf(cafeId)], [gameSessionId]).catch(orUnavailable);
  },
  seconds: async (cafeId, nowMs) => {
    const sums = await redis.hmget(keyOf(cafeId), '#', 'sum', 'over').catch(orUnavailable);
    const [count = 0, startsMs = 0, overMs = 0] = sums.map(Number);
    return (Math.max(0, count * nowMs - startsMs) + overMs) / 1000;
  },
});

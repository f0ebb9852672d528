import { z } from 'zod';
import type { Limits } from '#libs/kernel/limits.ts';
import { shardOfGameSession } from '#libs/kernel/shards.ts';
import { amnestyLua } from '#libs/records/record-scripts.ts';
import { shardKey } from '#libs/records/shard-key.ts';
import { inLines, mostAtOnce, outageAfterMs, recordOf } from '#libs/records/store-context.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { inOneCall } from '#libs/runtime/in-one-call.ts';
import { loadScript } from '#libs/redis/script.ts';
import { longestPauseMs, remindAfterMs, silentAtMs } from '../core/session.ts';
import type { Session } from '../core/session.ts';
import type { Ports } from '../ports.ts';
import type { AwaitedCalls } from './awaited-calls.ts';
import { sessionForm, usualWindowMs } from './session-form.ts';

const overScript = loadScript({
  file: new URL('./over.lua', import.meta.url),
  beginsWith: amnestyLua,
  keys: ['deadlines', 'expiries', 'holders', 'watch', 'records...'],
  args: [
    ...['server', 'outage_after_ms', 'window_ms', 'usual_window_ms'],
    ...['remind_ms', 'longest_pause_ms', 'memory_ms', 'answer_by_ms', 'asked...'],
  ],
  answer: z.tuple([z.number(), z.array(z.string())]),
});

/** What is asked of a session: one of the script's questions, its id, and two more. */
type Asked = readonly [
  what: 'end' | 'due' | 'stopped',
  gameSessionId: string,
  string | number,
  string | number,
];

interface OverOptions {
  readonly redis: Redis;
  readonly prefix: string;
  readonly awaited: AwaitedCalls;
}

/** Asks for many in one run of the script in each shard; the session as it is after that, `forgotten`, or undefined where there is more to say. */
const asking = ({ redis, prefix, awaited }: OverOptions, limits: Limits) => {
  const key = shardKey(prefix);
  const windows = [silentAtMs(0, limits), usualWindowMs];
  const pauses = [remindAfterMs, longestPauseMs];
  const times = [outageAfterMs, ...windows, ...pauses, limits.endedMemorySec * 1000];
  const inShard = inOneCall(mostAtOnce, async (shard: string, asked: readonly Asked[]) => {
    const records = asked.map(([, id]) => `record:${id}`);
    const keys = ['deadlines', 'expiries', 'holders', 'watch', ...records].map((name) => key(shard, name));
    const [, answers] = await awaited(shard, (server, answerByMs) =>
      overScript(redis, keys, [server, ...times, answerByMs, ...asked.flat()]),
    );
    return answers;
  });
  return async (...asked: Asked): Promise<Session | 'forgotten' | undefined> => {
    const [, gameSessionId] = asked;
    const text = await inShard(shardOfGameSession(gameSessionId), asked);
    return text === 'forgotten' ? text : recordOf(sessionForm, gameSessionId, inLines(text));
  };
};

/** The common ends in one round trip, which those of one turn of the event loop share in each shard, where `update` takes two. */
export const redisOver = (options: OverOptions, limits: Limits): Ports['sessions']['over'] => {
  const ask = asking(options, limits);
  const ended = async (...asked: Asked): Promise<Session | undefined> => {
    const answer = await ask(...asked);
    return answer === 'forgotten' ? undefined : answer;
  };
  return {
    end: (gameSessionId, { gameId, clientSec = '' }) => ended('end', gameSessionId, gameId, clientSec),
    due: (gameSessionId) => ask('due', gameSessionId, '', ''),
    stopped: (gameSessionId, partnerSec) => ended('stopped', gameSessionId, partnerSec, ''),
  };
};

import { z } from 'zod';
import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { packId } from '#libs/records/packing.ts';
import type { TrustedServer } from '#libs/records/record-types.ts';
import { shardKey } from '#libs/records/shard-key.ts';
import { guarded, inLines, mostAtOnce, recordOf } from '#libs/records/store-context.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { loadScript } from '#libs/redis/script.ts';
import { inOneCall } from '#libs/runtime/in-one-call.ts';
import type { Ports } from '../ports.ts';
import { ottForm, usualMemoryMs } from './ott-form.ts';

const consumeScript = loadScript({
  file: new URL('./consume.lua', import.meta.url),
  keys: ['deadlines', 'holders', 'watch', 'records...'],
  args: ['server', 'memory_ms', 'usual_memory_ms', 'asked...'],
  answer: z.array(z.string()),
});

/** A token, and the presentation that has to hold it. */
type Asked = readonly [tokenHash: string, presentation: string];

interface ConsumeOptions {
  readonly redis: Redis;
  readonly prefix: string;
  readonly shardOf: (tokenHash: string) => string;
  readonly trust?: TrustedServer | undefined;
}

/** The common consumption in one round trip, which those of one turn of the event loop share in each shard, where `update` takes two. */
export const redisConsume = (
  { redis, prefix, shardOf, trust }: ConsumeOptions,
  { ottMemorySec }: Pick<Limits, 'ottMemorySec'>,
): Ports['otts']['consume'] => {
  const key = shardKey(prefix);
  const inShard = inOneCall(mostAtOnce, (shard: string, asked: readonly Asked[]) => {
    const records = asked.map(([tokenHash]) => `record:${tokenHash}`);
    const keys = ['deadlines', 'holders', 'watch', ...records].map((name) => key(shard, name));
    return guarded({ trust }, (server) =>
      consumeScript(redis, keys, [server, ottMemorySec * 1000, usualMemoryMs, ...asked.flat()]),
    );
  });
  return async ({ tokenHash, presentationId, gameSessionId, pcId }) => {
    // After a claim that was given back the presentation does not tell the session.
    if (gameSessionId !== gameSessionIdFor(presentationId, pcId)) return undefined;
    const text = await inShard(shardOf(tokenHash), [tokenHash, packId(presentationId)]);
    return recordOf(ottForm, tokenHash, inLines(text));
  };
};

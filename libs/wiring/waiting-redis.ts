import { connectRedis } from '#libs/redis/connection.ts';
import type { RedisConnection } from '#libs/redis/connection.ts';
import { sleep } from '#libs/runtime/wait.ts';

const pollMs = 100;
const isReady = ({ client }: RedisConnection): boolean => client.status === 'ready';
const isIdle = ({ client: { status } }: RedisConnection): boolean => status === 'wait' || status === 'end';

/**
 * `connectRedis` as a component whose start waits for a server that is away, or still loads its data. A connection that failed is made again
 * by itself, except where the client has given up: then it is told to.
 */
export const waitingRedis = (options: Parameters<typeof connectRedis>[0]): RedisConnection => {
  const connection = connectRedis(options);
  const stopped = new AbortController();
  return {
    ...connection,
    start: async (fatal) => {
      while (!isReady(connection) && !stopped.signal.aborted) {
        if (isIdle(connection))
          await connection.start(fatal).catch((error: unknown) => {
            options.log.warn({ error }, 'redis does not answer; trying again');
          });
        if (!isReady(connection)) await sleep(pollMs, stopped.signal);
      }
    },
    stop: async () => {
      stopped.abort();
      await connection.stop();
    },
  };
};

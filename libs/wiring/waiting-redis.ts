import { connectPatiently } from '#libs/redis/connect-patiently.ts';
import { connectRedis } from '#libs/redis/connection.ts';
import type { RedisConnection } from '#libs/redis/connection.ts';

/** `connectRedis` as a component whose start waits for a server that is away, or still loads its data. */
export const waitingRedis = (options: Parameters<typeof connectRedis>[0]): RedisConnection => {
  const connection = connectRedis(options);
  const { client } = connection;
  const stopped = new AbortController();
  return {
    ...connection,
    start: () =>
      connectPatiently(client, {
        isDone: () => client.status === 'ready',
        log: options.log,
        stopped: stopped.signal,
      }),
    stop: async () => {
      stopped.abort();
      await connection.stop();
    },
  };
};

import { createHash } from 'node:crypto';
import type { Redis } from '#libs/redis/connection.ts';
import type { Log } from '#libs/runtime/log.ts';
import { sleep } from '#libs/runtime/wait.ts';

const retryPauseMs = 200;

interface WatchOptions {
  readonly redis: Redis;
  readonly log: Log;
}

/** A connection to a server of which the run id is known; the signal aborts when it breaks. */
export interface Connected {
  readonly server: string;
  readonly signal: AbortSignal;
}

/** What INFO says under a name; of a cluster, whose primaries answer together, a digest of all. */
const informationOf = (text: string, name: string): string | undefined => {
  const all = [...text.matchAll(new RegExp(`^${name}:(\\w+)`, 'gm'))].flatMap(([, value]) => value ?? []);
  if (all.length < 2) return all[0];
  return createHash('sha256').update(all.sort().join()).digest('hex');
};

const runIdOf = async (redis: Redis): Promise<string | undefined> =>
  informationOf(await redis.info('server'), 'run_id');

/**
 * Since when the server is a primary: the replication id that it had before it became one, which is another one each time. A primary that
 * was away, and became one again before it had received what its successor wrote, has the same run id with data of before. Empty where
 * the server does not tell.
 */
export const eraOf = async (redis: Redis): Promise<string> =>
  informationOf(await redis.info('replication'), 'master_replid2') ?? '';

/** Asks until the server has told its run id, or the connection is gone: one late answer is no reason to refuse everything for ever. */
const askRunId = async ({ redis, log }: WatchOptions, signal: AbortSignal): Promise<string | undefined> => {
  while (redis.status === 'ready' && !signal.aborted) {
    try {
      return await runIdOf(redis);
    } catch (error) {
      log.warn({ error }, 'the run id of Redis could not be read; asking again');
    }
    await sleep(retryPauseMs, signal);
  }
  return undefined;
};

/** Knows the server that is connected, from the events of the connection. */
export const createServerWatch = (
  options: WatchOptions,
  stopped: AbortSignal,
  onConnected: () => Promise<void>,
) => {
  const { redis } = options;
  let connection = new AbortController();
  let connected: Connected | undefined;
  const identify = async (): Promise<void> => {
    const signal = AbortSignal.any([connection.signal, stopped]);
    const server = await askRunId(options, signal);
    if (signal.aborted || server === undefined) return;
    connected = { server, signal };
    await onConnected();
  };
  const onReady = () => void identify();
  const onClose = (): void => {
    connection.abort();
    connection = new AbortController();
    connected = undefined;
  };
  return {
    connected: () => connected,
    start: async () => {
      redis.on('ready', onReady).on('close', onClose);
      await identify();
    },
    stop: () => void redis.off('ready', onReady).off('close', onClose),
  };
};

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

/** What a server says; of a cluster, whose primaries answer together, a digest of what all of them say. */
const ofAll = (said: readonly string[]): string | undefined =>
  said.length < 2 ? said[0] : createHash('sha256').update(said.toSorted().join()).digest('hex');

const runIdOf = async (redis: Redis): Promise<string | undefined> => {
  const text = await redis.info('server');
  return ofAll([...text.matchAll(/^run_id:(\w+)/gm)].flatMap(([, id]) => id ?? []));
};

const replicationIds = /^master_replid:(\w+)\s+^master_replid2:(\w+)/gm;

/** How often a server became a primary, told by ids. */
export interface Replication {
  /**
   * Since when the server is a primary: the replication id that it had before it became one, which is another one each time, or the one that
   * it has, where it never was anything else. A primary that was away, and became one again before it had received what its successor wrote,
   * has the same run id with data of before. Empty where the server does not tell.
   */
  readonly era: string;
  /** As `era`, but the same for all that never were anything else: their own id changes with the first replica. */
  readonly promotion: string;
}

/** What the server that is connected says of itself now. */
export const replicationOf = async (redis: Redis): Promise<Replication> => {
  const text = await redis.info('replication');
  const ids = [...text.matchAll(replicationIds)].map(([, own = '', before = '']) => ({
    own,
    before: /^0+$/.test(before) ? undefined : before,
  }));
  return {
    era: ofAll(ids.map(({ own, before }) => before ?? `never:${own}`)) ?? '',
    promotion: ofAll(ids.map(({ before }) => before ?? 'never')) ?? '',
  };
};

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

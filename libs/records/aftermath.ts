import type { Redis } from '#libs/redis/connection.ts';
import type { Log } from '#libs/runtime/log.ts';
import { sleep } from '#libs/runtime/wait.ts';
import { followRebuild } from './follow-rebuild.ts';
import type { Rebuild, Rebuilt } from './follow-rebuild.ts';
import type { Connected } from './server-watch.ts';
import { createSharedWork } from './shared-work.ts';

const retryPauseMs = 1_000;

interface AftermathOptions {
  readonly redis: Redis;
  readonly prefix: string;
  readonly instance: string;
  readonly rebuild: Rebuild;
  readonly log: Log;
}

/** Stands for as long as the log is followed after a rebuild: who comes meanwhile cannot know whether those who follow it live. */
export const followedName = (prefix: string, server: string): string => `${prefix}:followed:${server}`;
/** The keys of the work that replicas share on a server. */
export const workName = (prefix: string, server: string): string => `${prefix}:rebuild:${server}`;

const isFollowed = ({ redis, prefix }: AftermathOptions, server: string): Promise<boolean> =>
  redis.exists(followedName(prefix, server)).then(
    (count) => count === 1,
    () => true,
  );

/** Reads the log as for a rebuild, but alone; undefined when it has failed. */
const readAlone = async (
  { redis, prefix, instance, rebuild, log }: AftermathOptions,
  { server, signal }: Connected,
): Promise<Rebuilt | undefined> => {
  const name = `${workName(prefix, server)}:${instance}`;
  try {
    await redis.del(name);
    return await rebuild(signal, createSharedWork({ redis, name, instance, signal }));
  } catch (error) {
    const text = 'what was stored on the server of before could not be read from the log; trying again';
    if (!signal.aborted) log.warn({ error }, text);
    return undefined;
  }
};

/** As often as it takes; undefined when the connection broke: the next one begins anew. */
const catchUp = async (options: AftermathOptions, now: Connected): Promise<Rebuilt | undefined> => {
  while (!now.signal.aborted) {
    const rebuilt = await readAlone(options, now);
    if (rebuilt && !now.signal.aborted) return rebuilt;
    await sleep(retryPauseMs, now.signal);
  }
  return undefined;
};

/** What follows a rebuild, by this replica or by others. */
export const createAftermath = (
  options: AftermathOptions,
  during: { readonly connected: () => Connected | undefined; readonly stopped: AbortSignal },
) => {
  let work: Promise<unknown> = Promise.resolve();
  /** The server that this replica has worked on last. */
  let last: string | undefined;
  /** Whether what it acknowledged on another one may be on the log alone. */
  let isBehind = false;
  let catchingUp: Connected | undefined;
  const goOn = (more: Promise<void>): void => {
    work = Promise.all([work, more]);
  };
  const onRebuilt = (rebuilt: Rebuilt, server: string): void => {
    last = server;
    isBehind = false;
    goOn(followRebuild({ rebuilt, server, ...during, log: options.log }));
  };
  return {
    /** Whether this replica has worked on no server yet. */
    isNew: () => last === undefined,
    onRebuilt,
    /**
     * The others have rebuilt the view already. This replica may have worked on the server of before until now, where the network was split:
     * what it acknowledged there meanwhile is on the log alone. Or it has just started, and those who rebuilt may have died before they had
     * followed.
     */
    onComplete: async (now: Connected): Promise<void> => {
      const isLeftBehind = last === undefined ? await isFollowed(options, now.server) : last !== now.server;
      last = now.server;
      isBehind ||= isLeftBehind;
      if (!isBehind || catchingUp === now) return;
      catchingUp = now;
      goOn(catchUp(options, now).then((rebuilt) => rebuilt && onRebuilt(rebuilt, now.server)));
    },
    /** Resolves when nothing is left to follow; what is begun meanwhile is waited for, too. */
    done: async (): Promise<void> => {
      for (let waited; waited !== work;) {
        waited = work;
        await waited;
      }
    },
  };
};

import type { Log } from '#libs/runtime/log.ts';
import { sleep } from '#libs/runtime/wait.ts';
import type { Connected } from './server-watch.ts';
import type { SharedWork } from './shared-work.ts';

const retryFollowMs = 1_000;

/** What comes after a rebuild. */
export interface Rebuilt {
  /**
   * Writes what has come to the log since, and settles what only the whole log decides. Called before the view is declared complete, and
   * then now and then, for as long as somebody may publish what he stored before the loss.
   */
  readonly follow: (signal: AbortSignal) => Promise<void>;
}

/** Rebuilds a view. The signal aborts when the server is lost again. */
export type Rebuild = (signal: AbortSignal, shared: SharedWork) => Promise<Rebuilt>;

/** An event may reach the log 30 s after its change was stored, on the server that was lost. */
const followAfterMs = [1_000, 5_000, 30_000];
/** How long that takes, and a few seconds. */
export const followedMs = 40_000;

interface Following {
  readonly rebuilt: Rebuilt;
  /** The server that was rebuilt: another one has a rebuild of its own. */
  readonly server: string;
  readonly connected: () => Connected | undefined;
  readonly stopped: AbortSignal;
  readonly log: Log;
}

/** Once; false when it has to be tried again, because the connection broke or the log could not be read. */
const followOnce = async ({ rebuilt, connected, log }: Following): Promise<boolean> => {
  const now = connected();
  if (now === undefined) return false;
  try {
    await rebuilt.follow(now.signal);
    return true;
  } catch (error) {
    log.warn({ error }, 'what came to the log after the rebuild could not be read; trying again');
    return false;
  }
};

/** Reads, some times after a rebuild, what has come to the log since; over a connection that breaks too, until another server is connected. */
export const followRebuild = async (following: Following): Promise<void> => {
  const { server, connected, stopped } = following;
  const isOver = (): boolean => stopped.aborted || (connected()?.server ?? server) !== server;
  for (const pauseMs of followAfterMs) {
    await sleep(pauseMs, stopped);
    while (!isOver() && !(await followOnce(following))) await sleep(retryFollowMs, stopped);
  }
};

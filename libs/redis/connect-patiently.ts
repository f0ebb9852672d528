import type { Log } from '#libs/runtime/log.ts';
import { sleep } from '#libs/runtime/wait.ts';
import type { Redis } from './connection.ts';

const pollMs = 100;
const isIdle = ({ status }: Redis): boolean => status === 'wait' || status === 'end';

interface Patience {
  /** Whether the connection is as it is wanted. */
  readonly isDone: () => boolean;
  readonly log: Log;
  readonly stopped: AbortSignal;
}

/**
 * Connects, however long the server is away or loads its data, until `isDone` or stopped. A connection that failed is made again by itself,
 * except where the client has given up: then it is told to.
 */
export const connectPatiently = async (client: Redis, { isDone, log, stopped }: Patience): Promise<void> => {
  const onFailure = (error: unknown): void => log.warn({ error }, 'redis does not answer; trying again');
  while (!isDone() && !stopped.aborted) {
    if (isIdle(client)) await client.connect().catch(onFailure);
    if (!isDone()) await sleep(pollMs, stopped);
  }
};

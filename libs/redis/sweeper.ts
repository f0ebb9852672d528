import type { Log } from '#libs/runtime/log.ts';
import type { Part } from '#libs/runtime/service.ts';

const pauseMs = 500;
const bite = 50;

interface SweeperOptions {
  readonly due: (bite: number) => Promise<string[]>;
  /** What is done about one record whose deadline has passed; the store lets one replica win. */
  readonly handle: (id: string) => Promise<void>;
  readonly log: Log;
}

/** Looks at due records again and again, in bounded bites. Leaderless: every replica sweeps, compare-and-set decides (architecture, idea B). */
export const createSweeper = ({ due, handle, log }: SweeperOptions): Part => {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const sweep = async (): Promise<void> => {
    try {
      const results = await Promise.allSettled((await due(bite)).map(handle));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    } catch (error) {
      log.warn({ error }, 'a sweep failed; the next one follows');
    }
    if (!stopped) timer = setTimeout(again, pauseMs);
  };
  const again = () => {
    running = sweep();
  };
  return {
    name: 'sweeper',
    start: async () => again(),
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};

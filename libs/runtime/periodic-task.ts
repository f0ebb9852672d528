import type { Log } from './log.ts';
import type { Component } from './service.ts';

const everyMs = 500;
const leastPauseMs = everyMs / 2;
/** The pause while there is a backlog: short, but long enough for requests to be served in between. */
const backlogPauseMs = 20;

/** The tasks of a process run at the same moments, give or take a millisecond, so that they mostly wake it, and Redis, once. Each process has its own. */
const untilNextMs = (): number => {
  const leftMs = everyMs - (performance.now() % everyMs);
  return leftMs < leastPauseMs ? leftMs + everyMs : leftMs;
};

interface PeriodicTaskOptions {
  readonly name: string;
  /** Does one portion of the work. Resolves to 0 when nothing is left, so that the next run may wait longer. */
  readonly run: () => Promise<number>;
  readonly log: Log;
}

/** Runs a task again and again, never two runs at once; after a failed run, which is logged, the next one follows as usual. */
export const createPeriodicTask = ({ name, run, log }: PeriodicTaskOptions): Component => {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const once = async (): Promise<void> => {
    let left = 0;
    try {
      left = await run();
    } catch (error) {
      log.warn({ error, part: name }, 'a round failed; the next one follows');
    }
    if (!stopped) timer = setTimeout(runAgain, left > 0 ? backlogPauseMs : untilNextMs());
  };
  const runAgain = () => {
    running = once();
  };
  return {
    name,
    start: async () => runAgain(),
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};

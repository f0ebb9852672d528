import type { Log } from './log.ts';
import type { Component } from './service.ts';

const pauseMs = 500;
/** There is more to do, but callers go first for a moment. */
const backlogPauseMs = 100;

interface PeriodicTaskOptions {
  readonly name: string;
  /** One run of work; resolves to how much of it is left for the next, 0 when that may wait. */
  readonly run: () => Promise<number>;
  readonly log: Log;
}

/** Work that is done again and again, one run at a time; a run that fails is followed by the next. */
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
    if (!stopped) timer = setTimeout(runAgain, left > 0 ? backlogPauseMs : pauseMs);
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

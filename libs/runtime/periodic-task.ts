import type { Log } from './log.ts';
import type { Component } from './service.ts';

const pauseMs = 500;
/** There is more to do, but callers go first for a moment. */
const shortPauseMs = 100;

interface RoundOptions {
  readonly name: string;
  /** One round of work; resolves to how much of it is left for the next, 0 when that may wait. */
  readonly round: () => Promise<number>;
  readonly log: Log;
}

/** Work that is done again and again, one round at a time; a round that fails is followed by the next. */
export const createPeriodicTask = ({ name, round, log }: RoundOptions): Component => {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const once = async (): Promise<void> => {
    let left = 0;
    try {
      left = await round();
    } catch (error) {
      log.warn({ error, part: name }, 'a round failed; the next one follows');
    }
    if (!stopped) timer = setTimeout(again, left > 0 ? shortPauseMs : pauseMs);
  };
  const again = () => {
    running = once();
  };
  return {
    name,
    start: async () => again(),
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};

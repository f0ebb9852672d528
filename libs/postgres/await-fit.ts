import type { Log } from '#libs/runtime/log.ts';
import type { Component } from '#libs/runtime/service.ts';
import { sleep } from '#libs/runtime/wait.ts';

const pollIntervalMs = 1_000;

interface FitOptions {
  /** What is waited for, in one word. */
  readonly name: string;
  /** What is wrong with the database, as a sentence without its full stop; empty: nothing is. Never rejects. */
  readonly problem: () => Promise<string>;
  readonly log: Log;
  /** How often a problem may be found before the start fails with it; undefined: always. */
  readonly patience?: number;
}

/** A component whose start waits until the database is fit, and logs each problem once. Rejects with a problem that outlasts the patience. */
export const awaitFit = ({ name, problem, log, patience = Infinity }: FitOptions): Component => {
  const stopping = new AbortController();
  const wait = async (): Promise<void> => {
    let reported = '';
    for (let times = 1; !stopping.signal.aborted; times += 1) {
      const found = await problem();
      if (found === '') return;
      if (times > patience) throw new Error(found);
      if (found !== reported) log.warn({}, `${found}; waiting for it`);
      reported = found;
      await sleep(pollIntervalMs, stopping.signal);
    }
  };
  return { name, start: wait, stop: async () => stopping.abort() };
};

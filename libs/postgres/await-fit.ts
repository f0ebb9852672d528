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
}

/** A component whose start waits until the database is fit, and logs each problem once. */
export const awaitFit = ({ name, problem, log }: FitOptions): Component => {
  const stopping = new AbortController();
  const wait = async (): Promise<void> => {
    for (let reported = ''; !stopping.signal.aborted;) {
      const found = await problem();
      if (found === '') return;
      if (found !== reported) log.warn({}, `${found}; waiting for it`);
      reported = found;
      await sleep(pollIntervalMs, stopping.signal);
    }
  };
  return { name, start: wait, stop: async () => stopping.abort() };
};

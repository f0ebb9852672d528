import { readFileSync } from 'node:fs';

/** Writes one line for the person at the terminal. */
export type Print = (line: string) => void;

const printAfterMs = 1_000;
const printEveryMs = 15_000;

/** Runs a step; one that takes longer than a second is printed while it runs, every 15 s, and when it is done. */
export const step = async <T>(print: Print, what: string, work: () => Promise<T>): Promise<T> => {
  const started = performance.now();
  const tookSec = () => ((performance.now() - started) / 1000).toFixed(1);
  const timer = setTimeout(() => print(`… ${what}`), printAfterMs);
  const again = setInterval(() => print(`… ${what} (${tookSec()} s so far)`), printEveryMs);
  try {
    const result = await work();
    if (performance.now() - started > printAfterMs) print(`✓ ${what} (${tookSec()} s)`);
    return result;
  } finally {
    clearTimeout(timer);
    clearInterval(again);
  }
};

/** What a round of polling counts at most: the rest of a longer one was a machine that stood still, and with it who is waited for. */
const longestRoundMs = 2_000;

/** Polls until `ask` resolves to true. Rejects with `what` after the deadline, and with what `ask` last failed with. */
export const until = async (
  what: string,
  ask: () => Promise<boolean>,
  deadlineMs = 30_000,
): Promise<void> => {
  let cause: unknown;
  const asked = () =>
    ask().catch((error: unknown) => {
      cause = error;
      return false;
    });
  for (let waitedMs = 0, since = performance.now(); !(await asked());) {
    if (waitedMs > deadlineMs) throw new Error(`${what}: not within ${deadlineMs / 1000} s`, { cause });
    await new Promise((resolve) => setTimeout(resolve, 50));
    waitedMs += Math.min(performance.now() - since, longestRoundMs);
    since = performance.now();
  }
};

/** Something a person must do before this machine can run the stack. */
export class Missing extends Error {}

const shownLines = 8;

/** The last lines of a log: usually why a process ended. */
export const lastLines = (log: string): string => {
  try {
    return readFileSync(log, 'utf8').trim().split('\n').slice(-shownLines).join('\n');
  } catch {
    return '';
  }
};

/** Writes one line for the person at the terminal. */
export type Print = (line: string) => void;

const worthTellingMs = 1_000;

/** Runs a step; one that takes longer than a second is said while it runs and when it is done. */
export const step = async <T>(print: Print, what: string, work: () => Promise<T>): Promise<T> => {
  const started = performance.now();
  const timer = setTimeout(() => print(`… ${what}`), worthTellingMs);
  try {
    const result = await work();
    const tookMs = performance.now() - started;
    if (tookMs > worthTellingMs) print(`✓ ${what} (${(tookMs / 1000).toFixed(1)} s)`);
    return result;
  } finally {
    clearTimeout(timer);
  }
};

/** Asks again and again until the answer is yes. Rejects with `what` after the deadline. */
export const until = async (
  what: string,
  ask: () => Promise<boolean>,
  deadlineMs = 30_000,
): Promise<void> => {
  const giveUpAt = performance.now() + deadlineMs;
  while (!(await ask().catch(() => false))) {
    if (performance.now() > giveUpAt) throw new Error(`${what}: not within ${deadlineMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** Something a person must do before this machine can run the stack. */
export class Missing extends Error {}

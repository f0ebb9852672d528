/** Settles as `promise` does, or rejects with `onTimeout()` after `ms` milliseconds; a later outcome of `promise` is ignored. */
export const withDeadline = <T>(promise: Promise<T>, ms: number, onTimeout: () => Error): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(onTimeout()), Math.max(0, ms));
    const inTime =
      <O>(settle: (outcome: O) => void) =>
      (outcome: O): void => {
        clearTimeout(timer);
        settle(outcome);
      };
    promise.then(inTime(resolve), inTime(reject));
  });

/** Resolves after `ms` milliseconds, or at once when the signal aborts; the caller checks the signal itself. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });

/** The pause after an attempt (counted from 0), in milliseconds: `firstMs`, doubled with each attempt, at most `maxMs`. */
export const exponentialBackoffMs = (attempt: number, firstMs: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30));

/** As `Promise.all`; where some reject, it rejects as the first of them, when all have settled. */
export const settleAll = async <T>(work: readonly Promise<T>[]): Promise<T[]> => {
  await Promise.allSettled(work);
  return Promise.all(work);
};

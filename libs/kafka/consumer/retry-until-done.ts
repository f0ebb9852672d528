import { exponentialBackoffMs, sleep } from '#libs/runtime/wait.ts';
import { isTransient } from './transient-errors.ts';

const firstPauseMs = 100;
const longestPauseMs = 5_000;
const maxFailures = 3;

interface RetryOptions {
  readonly work: () => Promise<void>;
  /** Asked before each try: whether the work is no longer ours. */
  readonly givenUp: () => boolean;
  /** Told of each failure that is followed by another try. */
  readonly onRetry: (error: unknown, attempt: number) => void;
  /** Once aborted nothing is tried again. */
  readonly leaving: AbortSignal;
}

const failureOf = (work: () => Promise<void>): Promise<{ error: unknown } | undefined> =>
  work().then(
    () => undefined,
    (error: unknown) => ({ error }),
  );

/**
 * Tries until it works: for as long as it takes while something is away (`isTransient`), three times otherwise. Resolves to whether it
 * was done; false means given up. Rejects with the third failure that is not transient.
 */
export const retryUntilDone = async ({ work, givenUp, onRetry, leaving }: RetryOptions): Promise<boolean> => {
  let failures = 0;
  for (let attempt = 0; !givenUp() && !(attempt > 0 && leaving.aborted); attempt += 1) {
    const failure = await failureOf(work);
    if (failure === undefined) return true;
    if (!isTransient(failure.error)) failures += 1;
    if (failures === maxFailures) throw failure.error;
    onRetry(failure.error, attempt);
    await sleep(exponentialBackoffMs(attempt, firstPauseMs, longestPauseMs), leaving);
  }
  return false;
};

import { exponentialBackoffMs, sleep } from '#libs/runtime/wait.ts';
import { isTransient } from './transient-errors.ts';

const initialBackoffMs = 100;
const maxBackoffMs = 5_000;
const maxFailures = 3;

interface RetryOptions {
  readonly work: () => Promise<void>;
  /** Called before each try: whether the work is no longer to be done here. */
  readonly isCancelled: () => boolean;
  /** Called after each failure that is retried; `attempt` is counted from 0. */
  readonly onRetry: (error: unknown, attempt: number) => void;
  /** Once aborted nothing is retried. */
  readonly stopping: AbortSignal;
}

/**
 * Retries without limit while something is away (`isTransient`), and up to three times after other failures. Resolves to whether the work
 * was done; false: it was cancelled, or retrying has stopped. Rejects with the third failure that is not transient.
 */
export const retryUntilDone = async (options: RetryOptions): Promise<boolean> => {
  const { work, isCancelled, onRetry, stopping } = options;
  let failures = 0;
  const noteFailure = (error: unknown, attempt: number): void => {
    if (!isTransient(error)) failures += 1;
    if (failures === maxFailures) throw error;
    onRetry(error, attempt);
  };
  for (let attempt = 0; !isCancelled() && !(attempt > 0 && stopping.aborted); attempt += 1) {
    try {
      await work();
      return true;
    } catch (error) {
      noteFailure(error, attempt);
    }
    await sleep(exponentialBackoffMs(attempt, initialBackoffMs, maxBackoffMs), stopping);
  }
  return false;
};

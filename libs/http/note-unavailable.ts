import { Refusal } from '#libs/contracts/errors.ts';
import type { Log } from '#libs/runtime/log.ts';
import { onceAMinute } from '#libs/runtime/once-a-minute.ts';

/**
 * Says what a 503 came from, where something failed: of each route the first at once, then the last of a minute with their number. What is
 * refused in an overload, or waited in vain, has no cause and is counted elsewhere.
 */
export const noteUnavailable = (log: Pick<Log, 'warn'>, text = 'requests were answered 503') => {
  const note = onceAMinute<{ readonly route: string; readonly error: unknown }>((refused, count) =>
    log.warn({ ...refused, count }, text),
  );
  return (route: string, error: unknown): void => {
    if (error instanceof Refusal && error.code === 'UNAVAILABLE' && error.cause !== undefined)
      note(route, { route, error: error.cause });
  };
};

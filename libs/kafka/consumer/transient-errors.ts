import { Refusal } from '#libs/contracts/errors.ts';

const maxCauses = 5;

const networkCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

const isOutage = (error: unknown): boolean =>
  error instanceof Refusal
    ? error.code === 'UNAVAILABLE'
    : error instanceof Error && networkCodes.has(String((error as NodeJS.ErrnoException).code));

/** Whether a later retry may help: the error, or one of its causes, is UNAVAILABLE or a failed connection. */
export const isTransient = (error: unknown): boolean => {
  let current = error;
  for (let depth = 0; depth < maxCauses && current !== undefined; depth += 1) {
    if (isOutage(current)) return true;
    current = current instanceof Error ? current.cause : undefined;
  }
  return false;
};

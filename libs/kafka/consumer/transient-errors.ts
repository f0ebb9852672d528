import { Refusal } from '#libs/contracts/errors.ts';

const longestCauseChain = 5;

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

const isAway = (error: unknown): boolean =>
  error instanceof Refusal
    ? error.code === 'UNAVAILABLE'
    : error instanceof Error && networkCodes.has(String((error as NodeJS.ErrnoException).code));

/** Something that the work needs is away for now, so that trying again later may help: UNAVAILABLE, or a failed connection. */
export const isTransient = (error: unknown): boolean => {
  let current = error;
  for (let depth = 0; depth < longestCauseChain && current !== undefined; depth += 1) {
    if (isAway(current)) return true;
    current = current instanceof Error ? current.cause : undefined;
  }
  return false;
};

import { unavailable } from '#libs/contracts/errors.ts';

/** Passed to `catch` of a Redis command: a command that failed or timed out becomes UNAVAILABLE, with the driver's error as its cause. */
export const orUnavailable = (error: unknown): never => {
  throw unavailable(error);
};

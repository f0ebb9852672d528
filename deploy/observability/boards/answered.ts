import { answersTo, failuresOf } from '../operations.ts';
import type { Operation } from '../operations.ts';
import { anyPerSecond, of, orZero, share } from './queries.ts';

/** The share of the answers to an operation that were no failure of ours, items of batches one by one. */
export const answered = (operation: Operation): string => {
  const all = anyPerSecond(answersTo(of, operation));
  return share(`${all} - (${orZero(anyPerSecond(failuresOf(of, operation)))})`, all);
};

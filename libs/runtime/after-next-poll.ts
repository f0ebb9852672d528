import { setImmediate } from 'node:timers/promises';

/**
 * Resolves when what has come to this process by now is read, in whichever phase of the event loop it is asked: Node runs timers before it reads, so
 * that a timer after a while in which the process stood still is too early.
 */
export const afterNextPoll = async (): Promise<void> => {
  await setImmediate();
  await setImmediate();
};

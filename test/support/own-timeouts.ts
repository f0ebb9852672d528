import { jest } from '@jest/globals';

/**
 * From here on `setTimeout` alone goes by the test's own clock (`jest.advanceTimersByTime`), until `jest.useRealTimers`: where the machine
 * stands still nobody is late. Sockets, turns of the event loop and `node:timers/promises` go on by themselves.
 */
export const ownTimeouts = (): void => {
  jest.useFakeTimers({
    doNotFake: [
      ...(['Date', 'hrtime', 'performance', 'nextTick', 'queueMicrotask'] as const),
      ...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
    ],
  });
};

import { createHistogram } from 'node:perf_hooks';
import { eventLoop, isTooLate } from '#libs/runtime/event-loop.ts';
import { busyFor } from '../../../support/busy-for.ts';

test.each([
  { stalls: [1_000], late: false },
  { stalls: [4_000], late: false },
  { stalls: [4_500], late: true },
  { stalls: [1_000, 1_000, 1_000], late: true },
])(
  'an event loop that stands still for $stalls ms, as it is sampled in five seconds: too late to serve is $late',
  ({ stalls, late }) => {
    const delays = createHistogram();
    const restMs = 5_000 - stalls.reduce((sum, ms) => sum + ms, 0);
    for (const ms of [...stalls, ...Array<number>(Math.floor(restMs / 200)).fill(200)])
      delays.record(ms * 1_000_000);

    expect(isTooLate(delays)).toBe(late);
  },
);

test('a process that is too busy to answer is not ready, and ready again when it can', async () => {
  const loop = eventLoop({ boundMs: 300, windowMs: 800 });
  await loop.start(() => undefined);
  /** Whether it is as ready as that within 15 s; between two looks it is busy for so long. */
  const readyWithin = async (wanted: boolean, busyMs: number) => {
    for (const until = performance.now() + 15_000; loop.ready?.() !== wanted && performance.now() < until;) {
      busyFor(busyMs);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return loop.ready?.();
  };
  expect(loop.ready?.()).toBe(true);

  expect(await readyWithin(false, 700)).toBe(false);
  expect(await readyWithin(true, 0)).toBe(true);
  await loop.stop();
}, 40_000);

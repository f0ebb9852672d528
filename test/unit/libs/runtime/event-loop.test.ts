import { eventLoop } from '#libs/runtime/event-loop.ts';

test('a process that was too busy to answer is not ready, and ready again when it can', async () => {
  const loop = eventLoop({ boundMs: 300, windowMs: 800 });
  await loop.start(() => undefined);
  const readyWithin = async (wanted: boolean) => {
    for (const until = performance.now() + 15_000; loop.ready?.() !== wanted && performance.now() < until;)
      await new Promise((resolve) => setTimeout(resolve, 20));
    return loop.ready?.();
  };
  expect(loop.ready?.()).toBe(true);
  // The first delay is measured from the first tick.
  await new Promise((resolve) => setTimeout(resolve, 50));

  for (const until = performance.now() + 700; performance.now() < until;);

  expect(await readyWithin(false)).toBe(false);
  expect(await readyWithin(true)).toBe(true);
  await loop.stop();
}, 40_000);

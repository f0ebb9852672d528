import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { busyFor } from '../../../support/busy-for.ts';

const names = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'];

/** What a scrape tells of the lag, in seconds. */
const scrape = async (metrics: ReturnType<typeof createMetrics>) => {
  const text = await metrics.text();
  const each = names.map((name) => {
    const [, value] =
      new RegExp(`^nodejs_eventloop_lag_${name}_seconds\\{.*\\} (\\S+)$`, 'm').exec(text) ?? [];
    return [name, Number(value)] as const;
  });
  return Object.fromEntries(each);
};

test('the lag of the event loop is how much later than it should a process does what it has to do', async () => {
  const metrics = createMetrics('ott');
  const before = await scrape(metrics);
  // The first sample that is taken begins an interval.
  await pause(450);
  busyFor(700);
  await pause(450);

  const stalled = await scrape(metrics);
  const after = await scrape(metrics);

  expect(Object.values(before)).toEqual(names.map(() => 0));
  expect(stalled['max']).toBeGreaterThan(0.45);
  expect(stalled['p99']).toBeGreaterThan(0.45);
  expect(stalled['min']).toBeLessThan(0.15);
  expect(stalled['p50']).toBeLessThan(0.4);
  expect(Object.values(after)).toEqual(names.map(() => 0));
});

test('a process that never rests has the lag of its turns, but for less than a tenth of a second', async () => {
  const metrics = createMetrics('ott');
  await pause(250);
  await scrape(metrics);
  for (let turn = 0; turn < 4; turn++) {
    busyFor(450);
    await setImmediate();
  }
  await pause(120);

  const { p50 } = await scrape(metrics);

  expect(p50).toBeGreaterThan(0.3);
  expect(p50).toBeLessThan(1);
});

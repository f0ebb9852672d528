import { createTurns } from '../../services/billing-adapter/adapters/turns.ts';

const far = 3_600_000;

test('retries take turns at a bounded rate, in the order in which they came, as soon as the partner answers again (D-27)', async () => {
  const listeners: (() => void)[] = [];
  const perSecond = 100;
  const http = { onRecovered: (_: string, listener: () => void) => void listeners.push(listener) };
  const turn = createTurns({ http, perSecond, clock: Date.now });
  const taken: number[] = [];
  const retries = Array.from({ length: 20 }, async (_, serial) => {
    await turn('stop', Date.now() + far);
    taken.push(serial);
  });

  const startedAt = performance.now();
  listeners.forEach((recovered) => recovered());
  await Promise.all(retries);

  expect(taken).toEqual(Array.from({ length: 20 }, (_, serial) => serial));
  expect(performance.now() - startedAt).toBeGreaterThan(180);
});

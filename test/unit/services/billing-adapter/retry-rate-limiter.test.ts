import { createRetryRateLimiter } from '../../../../services/billing-adapter/adapters/retry-rate-limiter.ts';

const far = 3_600_000;

test('retries of stops do not hold up those of starts (D-27)', async () => {
  const turn = createRetryRateLimiter({
    http: { onRecovered: () => undefined },
    perSecond: 0.01,
    clock: Date.now,
  });
  const due = { dueAtMs: 0, firstFailedAtMs: 0 };
  void turn('stop', due);
  void turn('stop', due);

  const startedAt = performance.now();
  await turn('start', due);

  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test('retries take turns at a bounded rate, the oldest first, as soon as the partner answers again (D-27)', async () => {
  const listeners: (() => void)[] = [];
  const perSecond = 100;
  const http = { onRecovered: (_: string, listener: () => void) => void listeners.push(listener) };
  const turn = createRetryRateLimiter({ http, perSecond, clock: Date.now });
  const taken: number[] = [];
  const retries = Array.from({ length: 20 }, (_, index) => 19 - index).map(async (serial) => {
    await turn('stop', { dueAtMs: Date.now() + far, firstFailedAtMs: serial });
    taken.push(serial);
  });

  const startedAt = performance.now();
  listeners.forEach((recovered) => recovered());
  await Promise.all(retries);

  expect(taken).toEqual(Array.from({ length: 20 }, (_, serial) => serial));
  expect(performance.now() - startedAt).toBeGreaterThan(180);
});

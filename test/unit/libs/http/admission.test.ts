import fc from 'fast-check';
import type { Shed } from '#libs/contracts/endpoint.ts';
import { createAdmission, hasRoom } from '#libs/http/admission.ts';

const order: readonly Shed[] = ['first', 'second', 'third', 'last'];
const some = fc.record({
  inHand: fc.nat(6_000),
  isBusy: fc.boolean(),
  perSecond: fc.nat(10_000),
});

describe('what a process takes in hand (D-46)', () => {
  test('whoever is refused later is taken wherever one is who is refused earlier', () => {
    const property = fc.property(some, ({ inHand, ...load }) => {
      const taken = order.map((shed) => hasRoom(shed, { ...load, inHand, sameInHand: 0 }));
      expect(taken).toEqual(taken.toSorted());
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  test('a process that has time takes heartbeats although many wait for a store or the partner', () => {
    const load = { inHand: 4_000, sameInHand: 4_000, isBusy: false, perSecond: 100 };

    expect(hasRoom('last', load)).toBe(true);
    expect(hasRoom('third', { ...load, sameInHand: 10 })).toBe(true);
    expect(hasRoom('third', { ...load, sameInHand: 350 })).toBe(false);
  });

  test('a busy process has no more in hand than it finishes within 50 ms', () => {
    const load = { sameInHand: 0, isBusy: true, perSecond: 6_000 };

    expect(hasRoom('last', { ...load, inHand: 299 })).toBe(true);
    expect(hasRoom('last', { ...load, inHand: 300 })).toBe(false);
    expect(hasRoom('first', { ...load, inHand: 120 })).toBe(false);
  });

  test('a busy process takes heartbeats however many verifies wait for a slow partner', async () => {
    const admission = createAdmission();
    for (let taken = 0; taken < 300; taken += 1) admission.take('third', 1);
    admission.start();
    const busyUntil = performance.now() + 250;
    while (performance.now() < busyUntil);
    await new Promise((resolve) => setTimeout(resolve, 0));

    expect([admission.hasRoom('third'), admission.hasRoom('last')]).toEqual([false, true]);
    admission.stop();
  });
});

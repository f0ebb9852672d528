import { setImmediate } from 'node:timers/promises';
import { createTurns, turnsMs } from '#libs/runtime/turns.ts';

/** Turns in a time of their own, in which requests come at given instants (ms); resolves to when each began. */
const beginsOf = async (arrivals: readonly number[], lengthMs = 32): Promise<number[]> => {
  let nowMs = 0;
  const timers: { readonly atMs: number; readonly ring: () => void }[] = [];
  const pause = (ms: number) => new Promise<void>((ring) => timers.push({ atMs: nowMs + ms, ring }));
  const turn = createTurns({ time: { now: () => nowMs, pause }, lengthMs });
  const begins: number[] = [];
  const settle = async () => {
    for (let round = 0; round < 4; round += 1) await setImmediate();
  };
  const passUntil = async (untilMs: number) => {
    for (const { atMs, ring } of timers.splice(0, timers.findLastIndex(({ atMs }) => atMs <= untilMs) + 1)) {
      nowMs = atMs;
      ring();
      await settle();
    }
    nowMs = untilMs;
  };
  for (const [index, atMs] of arrivals.entries()) {
    await passUntil(atMs);
    void turn().then(() => (begins[index] = nowMs));
    await settle();
  }
  await passUntil(Infinity);
  return begins;
};

const every = (ms: number, count: number) => Array.from({ length: count }, (_, index) => 100 + ms * index);

test('requests that come seldom begin at once (D-56)', async () => {
  const arrivals = every(40, 30);
  expect(await beginsOf(arrivals)).toEqual(arrivals);
});

test('requests that come one upon another begin together, no more than 32 ms late (D-56)', async () => {
  const arrivals = every(1, 320);
  const begins = await beginsOf(arrivals);
  const late = begins.map((beganMs, index) => beganMs - arrivals[index]!);
  expect([Math.min(...late), Math.max(...late)]).toEqual([0, 32]);
  // The first turn does not wait: nobody knows yet that many come.
  expect(new Set(begins.slice(32)).size).toBe(9);
});

test.each(['brief', 'long'] as const)('no request begins later than its turn is long: %s', async (length) => {
  const arrivals = every(1, 320);
  const begins = await beginsOf(arrivals, turnsMs[length]);
  expect(Math.max(...begins.map((beganMs, index) => beganMs - arrivals[index]!))).toBe(turnsMs[length]);
});

test('after a crowd has passed nobody waits for others', async () => {
  const crowd = every(1, 96);
  const alone = [400, 480, 560];
  expect((await beginsOf([...crowd, ...alone])).slice(-3)).toEqual(alone);
});

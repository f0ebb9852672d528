import { setImmediate } from 'node:timers/promises';
import { turnLengths, turnsWhile } from '#libs/runtime/turns.ts';
import type { TurnLength } from '#libs/runtime/turns.ts';

/** How long turns are, and when (ms) the process has no time left. */
interface Crowd {
  readonly length: TurnLength;
  readonly isBusyAt: (atMs: number) => boolean;
}

/** Turns in a time of their own, in which requests come at given instants (ms); resolves to when each began. */
const beginsOf = async (
  arrivals: readonly number[],
  { length = 'usual', isBusyAt = () => false }: Partial<Crowd> = {},
): Promise<number[]> => {
  let nowMs = 0;
  const timers: { readonly atMs: number; readonly ring: () => void }[] = [];
  const pause = (ms: number) => new Promise<void>((ring) => timers.push({ atMs: nowMs + ms, ring }));
  const turn = turnsWhile(() => isBusyAt(nowMs), { now: () => nowMs, pause })[length];
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

/** How long the one waits who waits longest, in ms. */
const longestOf = async (arrivals: readonly number[], crowd: Partial<Crowd>): Promise<number> => {
  const begins = await beginsOf(arrivals, crowd);
  return Math.max(...begins.map((beganMs, index) => beganMs - arrivals[index]!));
};

const every = (ms: number, count: number) => Array.from({ length: count }, (_, index) => 100 + ms * index);

test('requests that come seldom begin at once (D-56)', async () => {
  const arrivals = every(40, 30);
  expect(await beginsOf(arrivals)).toEqual(arrivals);
});

test('requests that come one upon another begin together, no more than 16 ms late (D-56)', async () => {
  const arrivals = every(1, 160);
  const begins = await beginsOf(arrivals);
  const late = begins.map((beganMs, index) => beganMs - arrivals[index]!);
  expect([Math.min(...late), Math.max(...late)]).toEqual([0, 16]);
  // The first turn does not wait: nobody knows yet that many come.
  expect(new Set(begins.slice(16)).size).toBe(9);
});

test.each(['brief', 'far', 'long'] as const)(
  'no request begins later than its turn is long: %s',
  async (length) => {
    expect(await longestOf(every(1, 320), { length })).toBe(turnLengths[length].calm);
  },
);

test('a turn of what goes on through other services is as long while the process is busy', async () => {
  expect(await longestOf(every(1, 320), { length: 'far', isBusyAt: () => true })).toBe(turnLengths.far.calm);
});

test('turns are longer while the process is busy, and short again after it', async () => {
  const { calm, busy } = turnLengths.usual;
  const isBusyAt = (atMs: number): boolean => atMs >= 200 && atMs < 400;
  const arrivals = every(1, 500);
  const begins = await beginsOf(arrivals, { isBusyAt });
  const latest = (fromMs: number, untilMs: number): number =>
    Math.max(
      ...arrivals.map((atMs, index) => (atMs >= fromMs && atMs < untilMs ? begins[index]! - atMs : 0)),
    );
  expect([latest(100, 200), latest(216, 400), latest(432, 600)]).toEqual([calm, busy, calm]);
});

test.each(['usual', 'far'] as const)(
  'requests wait that come less than 16 ms after each other, and no others: %s',
  async (length) => {
    expect(await longestOf(every(15, 60), { length })).toBeGreaterThan(0);
    expect(await longestOf(every(16, 60), { length })).toBe(0);
  },
);

test('after a crowd has passed nobody waits for others', async () => {
  const crowd = every(1, 96);
  const alone = [400, 480, 560];
  expect((await beginsOf([...crowd, ...alone])).slice(-3)).toEqual(alone);
});

import { createGiveWay } from '#libs/runtime/give-way.ts';

/** A process whose main thread had a core and waited for one for so long in each quarter of a second, in ms. */
const processWith = (quarters: readonly (readonly [ranMs: number, waitedMs: number])[]) => {
  let at = 0;
  const total = (index: 0 | 1) => quarters.slice(0, at).reduce((sum, quarter) => sum + quarter[index], 0);
  let [nowMs, paused] = [0, 0];
  const giveWay = createGiveWay({
    coreTime: () => ({ ranNs: total(0) * 1e6, waitedNs: total(1) * 1e6 }),
    nowMs: () => nowMs,
    pause: async (ms) => void (paused += ms),
  });
  return {
    giveWay,
    paused: () => paused,
    quarterPasses: () => {
      at += 1;
      nowMs += 250;
    },
  };
};

test('work that nobody waits for goes on at once while there is a core for it (D-61)', async () => {
  const { giveWay, paused, quarterPasses } = processWith([[200, 20]]);
  await giveWay();
  quarterPasses();
  await giveWay();
  expect(paused()).toBe(0);
});

test('it pauses while the process waits for a core for longer than it has one, and not any more after that (D-61)', async () => {
  const { giveWay, paused, quarterPasses } = processWith([
    [80, 120],
    [80, 20],
  ]);
  quarterPasses();
  await giveWay();
  await giveWay();
  expect(paused()).toBe(500);

  quarterPasses();
  await giveWay();
  expect(paused()).toBe(500);
});

test('where the system does not tell, or tells no more, work goes on', async () => {
  const paused: number[] = [];
  const pause = async (ms: number) => void paused.push(ms);
  let nowMs = 0;
  const told = [{ ranNs: 0, waitedNs: 0 }, { ranNs: 0, waitedNs: 1 }, undefined, undefined];
  const giveWay = createGiveWay({ coreTime: () => told.shift(), nowMs: () => (nowMs += 300), pause });
  await giveWay();
  expect(paused).toEqual([250]);
  await giveWay();
  await giveWay();
  expect(paused).toEqual([250]);
});

import { createGiveWay } from '#libs/runtime/give-way.ts';

type Quarter = readonly [ranMs: number, waitedMs: number, idleTicks: number];

/** A process on a node of two cores, whose main thread had one and waited for one for so long in each quarter of a second, of whose 50 ticks so many were idle. */
const processWith = (quarters: readonly Quarter[]) => {
  let at = 0;
  const total = (index: 0 | 1 | 2) => quarters.slice(0, at).reduce((sum, quarter) => sum + quarter[index], 0);
  let [nowMs, paused, isTold] = [0, 0, true];
  const times = () => ({
    ...{ ranNs: total(0) * 1e6, waitedNs: total(1) * 1e6 },
    ...{ idleTicks: total(2), allTicks: at * 50 },
  });
  const giveWay = createGiveWay({
    coreTimes: () => (isTold ? times() : undefined),
    nowMs: () => nowMs,
    pause: async (ms) => void (paused += ms),
  });
  return {
    giveWay,
    paused: () => paused,
    quarterPasses: ({ told = true } = {}) => {
      isTold = told;
      at += 1;
      nowMs += 250;
    },
  };
};

test.each<[what: string, quarter: Quarter]>([
  ['it hardly waits for one', [200, 20, 0]],
  ['the node has another one to spare', [80, 120, 5]],
])('work that nobody waits for goes on at once where %s (D-61)', async (_, quarter) => {
  const { giveWay, paused, quarterPasses } = processWith([quarter]);
  await giveWay();
  quarterPasses();
  await giveWay();
  expect(paused()).toBe(0);
});

test('it pauses while the node is full and the process waits for a core, and not any more after that (D-61)', async () => {
  const { giveWay, paused, quarterPasses } = processWith([
    [70, 30, 4],
    [80, 10, 0],
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
  const { giveWay, paused, quarterPasses } = processWith([
    [70, 30, 0],
    [70, 30, 0],
    [70, 30, 0],
  ]);
  quarterPasses();
  await giveWay();
  for (const told of [false, true]) {
    quarterPasses({ told });
    await giveWay();
  }
  expect(paused()).toBe(250);
});

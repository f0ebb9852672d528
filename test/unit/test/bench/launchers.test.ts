import { createPcs } from '../../../bench/pcs.ts';
import type { Pc } from '../../../bench/pcs.ts';
import { playersOf } from '../../../bench/players.ts';
import type { Operations } from '../../../bench/operations.ts';

const cafe = { cafe_id: 'cafe-1', launcher_keys: [] } as unknown as Pc['cafe'];
const intervalSec = 120;

/** Launchers that were heard so many seconds ago, and those that were asked to send a heartbeat within one look. */
const heardAfter = async (agesSec: readonly number[]): Promise<number[]> => {
  const pcs = createPcs([cafe]);
  const ages = new Map<Pc, number>();
  for (const [at, age] of agesSec.entries()) {
    const pc = Object.assign(pcs.newPc(), { intervalSec, launcherSeenMs: performance.now() - age * 1000 });
    ages.set(pc, age);
    [pcs.playing, pcs.launching, pcs.idle][at % 3]!.push(pc);
  }
  const over = new AbortController();
  const heard: number[] = [];
  const refresh: Operations['refresh'] = (pc) => {
    heard.push(ages.get(pc) ?? 0);
    const pool = { send: (_: string, done: (outcome: string) => void) => done('answered') };
    return { pool, text: '', settle: () => [] } as unknown as ReturnType<Operations['refresh']>;
  };
  const players = playersOf(pcs, { refresh } as Operations, () => undefined);
  const keeping = players.keepLaunchers(over.signal);
  await new Promise(setImmediate);
  over.abort();
  await keeping;
  return heard;
};

test('launchers of players and of those who do not play send a heartbeat before they are missed; others are left alone', async () => {
  expect(await heardAfter([10, 20, 60, 90])).toEqual([90]);
  expect(await heardAfter([10, 20, 60])).toEqual([]);
  expect(await heardAfter([10, 20, 85])).toEqual([85]);
  expect(await heardAfter([])).toEqual([]);
});

test('heartbeats that are due all at once are spread over the time that is left, the longest silence first', async () => {
  const heard = await heardAfter(Array.from({ length: 400 }, (_, at) => 81 + at / 400));

  expect(heard).toHaveLength(10);
  expect(heard[0]).toBe(81 + 399 / 400);
});

/** A PC in each of the queues, how many of them are left after `go`, and who went. */
const afterGoing = async (go: (players: ReturnType<typeof playersOf>) => Promise<void>) => {
  const pcs = createPcs([cafe]);
  for (let at = 0; at < 9; at += 1) [pcs.playing, pcs.launching, pcs.idle][at % 3]!.push(pcs.newPc());
  let gone = 0;
  const goHome: Operations['goHome'] = () => {
    gone += 1;
    const pool = { send: (_: string, done: (outcome: string) => void) => done('answered') };
    const verdict = { outcome: 'wrong', why: 'launcher end' };
    return { pool, text: '', settle: () => [verdict] } as unknown as ReturnType<Operations['goHome']>;
  };
  const players = playersOf(pcs, { goHome } as Operations, () => undefined);
  await go(players);
  const { idle, launching, playing } = pcs;
  return { gone, left: [idle.size, launching.size, playing.size], wrong: players.beside().wrong };
};

test('launchers that a phase does not need go home, and in the end everybody; wrong answers to that are counted', async () => {
  expect(await afterGoing((players) => players.sendHome(1))).toEqual({ gone: 2, left: [1, 3, 3], wrong: 2 });
  expect(await afterGoing((players) => players.leave())).toEqual({ gone: 9, left: [0, 0, 0], wrong: 9 });
});

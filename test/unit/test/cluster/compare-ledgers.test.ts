import { misbilled } from '../../../cluster/compare-ledgers.ts';

const began = { id: 'gs_1', verified: [10_000, 10_300] } as const;

describe('a session of three seconds and a half, whose verify and end took 300 ms each', () => {
  test.each([
    ['nothing', 0, false],
    ['less than its game server saw', 2, false],
    ['what its game server saw', 3, true],
    ['more than can have been played', 4, false],
    ['twice the time', 7, false],
  ])('that is billed %s', (_, seconds, isRight) => {
    const session = { ...began, ended: [13_500, 13_800], leftAtMs: 13_800 } as const;

    expect(misbilled({ ...session }, seconds)).toHaveLength(isRight ? 0 : 1);
  });
});

describe('a session whose end was not answered, a second after its last heartbeat', () => {
  test.each([
    ['nothing', 0, false],
    ['until the heartbeat', 2, true],
    ['until its end was given up', 3, true],
    ['until its silence was noticed', 12, false],
  ])('that is billed %s', (_, seconds, isRight) => {
    const session = { ...began, seen: [12_400, 12_450], leftAtMs: 13_450 } as const;

    expect(misbilled({ ...session }, seconds)).toHaveLength(isRight ? 0 : 1);
  });
});

test('a session of which nothing was heard but its verify is billed nothing', () => {
  expect(misbilled({ ...began, leftAtMs: 10_300 }, 0)).toEqual([]);
  expect(misbilled({ ...began, leftAtMs: 10_300 }, 1)).toHaveLength(1);
});

import { misbilled } from '../../../cluster/compare-ledgers.ts';

describe('a session of three seconds and a half, whose verify and end took 300 ms each', () => {
  const session = { id: 'gs_1', verified: [10_000, 10_300], ended: [13_500, 13_800] } as const;

  test.each([
    ['nothing', 0, false],
    ['less than its game server saw', 2, false],
    ['what its game server saw', 3, true],
    ['more than can have been played', 4, false],
    ['twice the time', 7, false],
  ])('that is billed %s', (_, seconds, isRight) => {
    expect(misbilled({ ...session }, seconds)).toHaveLength(isRight ? 0 : 1);
  });
});

test('a session whose end was not answered may have ended at any time', () => {
  expect(misbilled({ id: 'gs_1', verified: [10_000, 10_300] }, 3_600)).toEqual([]);
});

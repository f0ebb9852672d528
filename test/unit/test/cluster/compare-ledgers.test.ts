import { misbilled } from '../../../cluster/compare-ledgers.ts';

const began = { id: 'gs_1', verified: [10_000, 10_300] } as const;
const threeAndAHalf = { ...began, ended: [13_500, 13_800], leftAtMs: 13_800 } as const;
const unanswered = { ...began, seen: [12_400, 12_450], leftAtMs: 13_450 } as const;
const onlyVerified = { ...began, leftAtMs: 10_300 } as const;

test.each([
  ['of three seconds and a half', 'nothing', threeAndAHalf, 0, false],
  ['of three seconds and a half', 'less than its game server saw', threeAndAHalf, 2, false],
  ['of three seconds and a half', 'what its game server saw', threeAndAHalf, 3, true],
  ['of three seconds and a half', 'more than can have been played', threeAndAHalf, 4, false],
  ['of three seconds and a half', 'twice the time', threeAndAHalf, 7, false],
  ['whose end was not answered', 'nothing', unanswered, 0, false],
  ['whose end was not answered', 'until its last heartbeat', unanswered, 2, true],
  ['whose end was not answered', 'until its end was given up', unanswered, 3, true],
  ['whose end was not answered', 'until its silence was noticed', unanswered, 12, false],
  ['of which nothing was heard but its verify', 'nothing', onlyVerified, 0, true],
  ['of which nothing was heard but its verify', 'a second', onlyVerified, 1, false],
] as const)('a session %s that is billed %s', (_, __, session, seconds, isRight) => {
  expect(misbilled(session, seconds)).toHaveLength(isRight ? 0 : 1);
});

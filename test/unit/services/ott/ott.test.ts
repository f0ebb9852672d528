import { specLimits as limits } from '#libs/kernel/limits.ts';
import { advance, isAnswered, mint, refusal } from '../../../../services/ott/core/ott.ts';

const nowMs = 1_700_000_000_000;
const request = {
  ...{
    ottRequestId: '1f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47',
    launcherSessionId: '2f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47',
  },
  ...{
    cafeId: 'cafe-1',
    pcId: `pc_3${'0'.repeat(31)}`,
    gameId: 'starfall',
    isPcCafe: true,
    replyKey: 'AAAA',
  },
};
const claim = {
  ...{ presentationId: '3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47', providerUserId: 'u1', claimedAtMs: nowMs },
  ...{ outagePolicy: 'continue' as const, deadlineMs: null },
  gameSessionId: 'gs_3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47',
};
const issued = mint(request, 'a'.repeat(64), nowMs, limits);
const claimed = advance(issued, 'claim', limits, claim)!;
const consumed = advance(claimed, 'consume', limits)!;
const voided = advance(issued, 'void', limits)!;
const expired = advance(issued, 'expire', limits)!;

describe('who may have a token (spec 3.1, 4.1)', () => {
  test.each([
    ['an unknown one', undefined, 'starfall', 0, 'OTT_EXPIRED'],
    ['an issued one in time', issued, 'starfall', 59_999, undefined],
    ['an issued one after 60 s', issued, 'starfall', 60_000, 'OTT_EXPIRED'],
    ['an issued one of another game', issued, 'moonrise', 1, 'GAME_MISMATCH'],
    ['a claimed one', claimed, 'starfall', 1, 'OTT_ALREADY_USED'],
    ['a consumed one', consumed, 'starfall', 1, 'OTT_ALREADY_USED'],
    ['a consumed one, much later', consumed, 'starfall', 3_600_000, 'OTT_ALREADY_USED'],
    ['a voided one', voided, 'starfall', 1, 'OTT_EXPIRED'],
    ['an expired one', expired, 'starfall', 1, 'OTT_EXPIRED'],
  ])('%s', (_, ott, gameId, afterMs, expected) => {
    expect(refusal(ott, gameId, nowMs + afterMs)).toBe(expected);
  });
});

describe('the token table (spec 3.1, D-03)', () => {
  test('a claim that is given back leaves the token as it was, with the life it had', () => {
    const back = advance(claimed, 'giveBack', limits)!;

    expect(back).toMatchObject({ state: 'issued', claim: null, deadlineAtMs: issued.expiresAtMs });
  });

  test('the presentation whose claim was given back claims nothing when it is heard again; a later one may (D-03)', () => {
    const waited = advance(issued, 'claim', limits, { ...claim, deadlineMs: nowMs + 5_000 })!;
    const back = advance(waited, 'giveBack', limits)!;

    expect(isAnswered(back, nowMs + 5_000)).toBe(true);
    expect(isAnswered(back, nowMs + 5_001)).toBe(false);
    expect(isAnswered(issued, nowMs + 5_000)).toBe(false);
  });

  test('a consumed token stays consumed, and is remembered for a day (I1, D-04)', () => {
    expect(consumed.deadlineAtMs).toBe(nowMs + 86_400_000);
    for (const trigger of ['claim', 'giveBack', 'consume', 'expire', 'void'] as const) {
      expect(advance(consumed, trigger, limits)).toBeUndefined();
    }
  });
});

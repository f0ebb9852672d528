import { specLimits as limits } from '#libs/kernel/limits.ts';
import { pinOf, withPin } from '#libs/kernel/partition-pins.ts';
import { cappedPolicy, claim, giveBack, verdictOn } from '../../../../services/ott/core/claim.ts';
import { advance, mint } from '../../../../services/ott/core/ott.ts';
import type { Ott } from '../../../../services/ott/core/ott.ts';

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
    ...{ tokenHash: 'a'.repeat(64), replyKey: 'AAAA' },
  },
};
const presentation = {
  ...{ presentationId: '3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47', tokenHash: 'a'.repeat(64) },
  ...{ gameId: 'starfall', providerUserId: 'u1', outagePolicy: 'continue' as const },
  ...{ deadlineMs: undefined as number | undefined, acceptedAtVersion: 0, eventId: 'event-1' },
};
const another = {
  ...presentation,
  ...{ presentationId: '4f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47', eventId: 'event-2' },
};
const hash = () => 'b'.repeat(64);
const issued = mint({ ...request, tokenHash: 'a'.repeat(64), traceparent: null }, nowMs, limits);
const claimed = claim(issued, presentation, nowMs, { limits, hash })!;
const consumed = advance(claimed, 'consume', limits)!;
const voided = advance(issued, 'void', limits)!;
const expired = advance(issued, 'expire', limits)!;

describe('who may have a token (spec 3.1, 4.1)', () => {
  test.each<[string, Ott | undefined, string, number, unknown]>([
    ['an unknown one', undefined, 'starfall', 0, { refused: 'OTT_EXPIRED' }],
    ['an issued one in time', issued, 'starfall', 60_000, 'claims'],
    ['an issued one after more than 60 s', issued, 'starfall', 60_001, { refused: 'OTT_EXPIRED' }],
    ['an issued one of another game', issued, 'moonrise', 1, { refused: 'GAME_MISMATCH' }],
    ['a claimed one', claimed, 'starfall', 1, { refused: 'OTT_ALREADY_USED' }],
    ['a consumed one', consumed, 'starfall', 1, { refused: 'OTT_ALREADY_USED' }],
    ['a consumed one, much later', consumed, 'starfall', 3_600_000, { refused: 'OTT_ALREADY_USED' }],
    ['a voided one', voided, 'starfall', 1, { refused: 'OTT_EXPIRED' }],
    ['an expired one', expired, 'starfall', 1, { refused: 'OTT_EXPIRED' }],
  ])('%s', (_, ott, gameId, afterMs, expected) => {
    expect(verdictOn(ott, { ...another, gameId }, nowMs + afterMs)).toEqual(expected);
  });
});

describe('the token table (spec 3.1, D-03)', () => {
  test('a claim that is given back leaves the token as it was, with the life it had', () => {
    const back = giveBack(claimed, claimed.claim!.gameSessionId, limits)!;

    expect(back).toMatchObject({ state: 'issued', claim: null, deadlineAtMs: issued.expiresAtMs });
  });

  test('only the game session that holds the claim gives it back, and not once billing has started', () => {
    const { gameSessionId } = claimed.claim!;

    expect(giveBack(claimed, 'gs_another', limits)).toBe(claimed);
    expect(giveBack(consumed, gameSessionId, limits)).toBeUndefined();
  });

  test('the presentation that holds the claim holds it when its message is redelivered', () => {
    expect(verdictOn(claimed, presentation, nowMs + 61_000)).toBe('holds the claim');
  });

  test('so does the same presentation when topics have grown since, and what its session becomes tells what it told at first (D-63)', () => {
    const pinned = { ...presentation, presentationId: withPin(presentation.presentationId, 3) };
    const held = claim(issued, pinned, nowMs, { limits, hash })!;
    const repeated = { ...pinned, presentationId: withPin(pinned.presentationId, 12), eventId: 'event-3' };
    const back = giveBack(held, held.claim!.gameSessionId, limits)!;
    const again = claim(back, repeated, nowMs, { limits, hash })!;

    expect(pinOf(held.claim!.gameSessionId)).toBe(3);
    expect(verdictOn(held, repeated, nowMs + 1)).toBe('holds the claim');
    expect(pinOf(again.claim!.gameSessionId)).toBe(12);
  });

  test.each([
    ['claimed', claimed],
    ['consumed', consumed],
  ])('after five minutes a %s token is spent, for its own presentation too (D-15, I6)', (_, ott) => {
    expect(verdictOn(ott, presentation, nowMs + 299_999)).toBe('holds the claim');
    expect(verdictOn(ott, presentation, nowMs + 300_000)).toEqual({ refused: 'OTT_ALREADY_USED' });
  });

  test('a presentation whose claim was given back claims nothing when it is redelivered; another one may, whatever its clock says (D-03, D-35)', () => {
    const first = { ...presentation, deadlineMs: nowMs + 305_000 };
    const waited = claim(issued, first, nowMs, { limits, hash })!;
    const back = giveBack(waited, waited.claim!.gameSessionId, limits)!;

    expect(verdictOn(back, first, nowMs)).toBe('was answered');
    expect(verdictOn(back, { ...another, deadlineMs: nowMs - 295_000 }, nowMs)).toBe('claims');
    expect(verdictOn(back, { ...first, eventId: 'event-3' }, nowMs)).toBe('claims');
    expect(verdictOn(issued, first, nowMs)).toBe('claims');
  });

  test('a token that an older version gave back has only a deadline, and a redelivery claims nothing either (D-03)', () => {
    const back = { ...issued, version: 3, givenBackUntilMs: nowMs + 5_000 };

    expect(verdictOn(back, { ...presentation, deadlineMs: nowMs + 5_000 }, nowMs)).toBe('was answered');
    expect(verdictOn(back, { ...presentation, deadlineMs: nowMs + 5_001 }, nowMs)).toBe('claims');
  });

  test('the next claim of a token that was given back becomes another game session (D-03)', () => {
    const back = giveBack(claimed, claimed.claim!.gameSessionId, limits)!;
    const again = claim(back, presentation, nowMs, { limits, hash })!;

    expect(again.claim?.gameSessionId).not.toBe(claimed.claim?.gameSessionId);
  });

  test('a store that is behind what this process accepted does not free a token (D-24)', () => {
    const accepted = { ...another, acceptedAtVersion: claimed.version };

    expect(verdictOn(issued, accepted, nowMs)).toEqual({ refused: 'OTT_ALREADY_USED' });
  });

  test('past the cap of unbilled play the policy is refuse, whatever the game wants (D-26)', () => {
    expect(cappedPolicy('continue', 99, 100)).toBe('continue');
    expect(cappedPolicy('continue', 100, 100)).toBe('refuse');
  });

  test('a consumed token stays consumed, and is remembered for a day (I1, D-04)', () => {
    expect(consumed.deadlineAtMs).toBe(nowMs + 86_400_000);
    for (const trigger of ['claim', 'giveBack', 'consume', 'expire', 'void'] as const) {
      expect(advance(consumed, trigger, limits)).toBeUndefined();
    }
  });
});

import fc from 'fast-check';
import { specLimits as limits } from '#libs/kernel/limits.ts';
import {
  beat,
  begin,
  close,
  deplete,
  recharge,
  remind,
  settle,
  warn,
} from '../../../../services/game-session/core/session.ts';
import type { Session } from '../../../../services/game-session/core/session.ts';
import { overdueReason } from '../../../../services/game-session/core/deadlines.ts';
import type { EndReason } from '../../../../services/game-session/core/session-states.ts';
import {
  endResponse,
  heartbeatResponse,
  renewalOf,
} from '../../../../services/game-session/core/responses.ts';

const startedAtMs = 1_700_000_000_000;
const order = {
  ...{
    gameSessionId: 'gs_3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47',
    presentationId: '9f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47',
  },
  ...{ tokenHash: 'a'.repeat(64), cafeId: 'cafe-1', pcId: `pc_3${'0'.repeat(31)}`, gameId: 'starfall' },
  ...{
    providerUserId: 'u1',
    isPcCafe: true,
    launcherSessionId: '7f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47',
    startedAtMs,
  },
};
const fresh = begin({ order, pending: false, remainingSec: 100 }, limits);
const after = (sec: number) => startedAtMs + sec * 1000;
const at = (sec: number) => ({ nowMs: after(sec), amnestyUntilMs: 0, suspendedUntilMs: 0 });

describe('play time counts from billing start to the last proof of life (D-09)', () => {
  const playing = beat(fresh, after(100), limits)!;
  test.each<[EndReason, number, number]>([
    ['game_ended', 150, 150],
    ['silence', 345, 100],
    ['grace_over', 220, 100],
    ['replaced', 150, 150],
    ['replaced', 300, 220],
    ['launcher_ended', 130, 130],
    ['launcher_ended', 330, 220],
    ['launcher_lapsed', 150, 150],
  ])('%s at second %i leaves %i seconds', (reason, atSec, expected) => {
    const closed = close(playing, { reason, nowMs: after(atSec) }, limits)!;

    expect(closed).toMatchObject({ state: 'ending', endReason: reason, playDurationSec: expected });
  });

  test.each<[EndReason, number, number]>([
    ['replaced', 110, 110],
    ['replaced', 90, 100],
    ['launcher_ended', 105, 105],
    ['launcher_ended', 60, 100],
  ])(
    '%s at second %i but known only at 150 leaves %i seconds: no second is billed to both sessions of a PC',
    (reason, atSec, expected) => {
      const closed = close(playing, { reason, nowMs: after(150), atMs: after(atSec) }, limits)!;

      expect(closed).toMatchObject({ playDurationSec: expected, deadlineAtMs: after(160) });
    },
  );
});

describe('the session table (spec 3.2)', () => {
  test('a heartbeat restarts the expiry: 240 s and a slack of 5 s (D-10)', () => {
    const beaten = beat(fresh, after(120), limits)!;

    expect(beaten.deadlineAtMs).toBe(after(120 + 245));
    expect(overdueReason(beaten, at(364), limits)).toBeUndefined();
    expect(overdueReason(beaten, at(365), limits)).toBe('silence');
  });

  test('a depleted balance leaves two minutes, and heartbeats do not prolong them (D-08)', () => {
    const exhausted = warn(deplete(fresh, limits)!, after(120), limits)!;
    const beaten = beat(exhausted, after(200), limits)!;

    expect(beaten).toMatchObject({ state: 'charge_exhausted', deadlineAtMs: after(240) });
    expect(overdueReason(beaten, at(240), limits)).toBe('grace_over');
    expect(renewalOf(beaten, after(200), limits)).toEqual({ exhausted: true, nextHeartbeatIn: 20 });
    expect(recharge(beaten, limits)).toMatchObject({ state: 'active', exhaustedAtMs: null });
    expect(warn(beaten, after(200), limits)).toBeUndefined();
  });

  test('a balance that is used up leaves all its time until the game server has been told (D-37)', () => {
    const exhausted = deplete(fresh, limits)!;

    expect(exhausted).toMatchObject({ state: 'charge_exhausted', exhaustedAtMs: null });
    expect(overdueReason(exhausted, at(244), limits)).toBeUndefined();
    expect(renewalOf(exhausted, after(100), limits)).toEqual({ exhausted: true, nextHeartbeatIn: 120 });
    expect(overdueReason(exhausted, at(245), limits)).toBe('silence');
  });

  test('a balance that ran out late does not make a silent session one whose grace is over', () => {
    const exhausted = warn(deplete(fresh, limits)!, after(208), limits)!;

    expect(exhausted.deadlineAtMs).toBe(after(245));
    expect(overdueReason(exhausted, at(245), limits)).toBe('silence');
    expect(overdueReason(exhausted, at(400), limits)).toBe('silence');
  });

  test('an end that is not confirmed is published again after pauses that double, up to five minutes (D-06)', () => {
    let ending = close(fresh, { reason: 'game_ended', nowMs: after(0) }, limits)!;
    const pausesSec: number[] = [];

    for (let nowMs = after(0); pausesSec.length < 8;) {
      pausesSec.push((ending.deadlineAtMs - nowMs) / 1000);
      nowMs = ending.deadlineAtMs;
      ending = remind(ending, nowMs)!;
    }

    expect(pausesSec).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
  });

  test('what is over stays over (I6)', () => {
    const ending = close(fresh, { reason: 'game_ended', nowMs: after(10) }, limits)!;
    const ended = settle(ending, 10, after(11), limits)!;

    for (const session of [ending, ended]) {
      expect(beat(session, after(12), limits)).toBeUndefined();
      expect(deplete(session, limits)).toBeUndefined();
      expect(warn(session, after(12), limits)).toBeUndefined();
      expect(close(session, { reason: 'silence', nowMs: after(12) }, limits)).toBeUndefined();
    }
    expect(remind(ended, after(12))).toBeUndefined();
  });

  test.each<[EndReason, string, string, string]>([
    ['game_ended', 'SESSION_ENDING', 'SESSION_ENDED', 'ALREADY_ENDED'],
    ['grace_over', 'SESSION_ENDING', 'SESSION_ENDED', 'ALREADY_ENDED'],
    ['launcher_ended', 'SESSION_ENDING', 'SESSION_ENDED', 'ALREADY_ENDED'],
    ['launcher_lapsed', 'SESSION_ENDED', 'SESSION_ENDED', 'ALREADY_ENDED'],
    ['replaced', 'SESSION_REPLACED', 'SESSION_REPLACED', 'ALREADY_ENDED'],
    ['silence', 'SESSION_NOT_FOUND', 'SESSION_NOT_FOUND', 'SESSION_NOT_FOUND'],
  ])('after %s a heartbeat receives %s, then %s, and an end %s', (reason, inEnding, inEnded, atEnd) => {
    const ending = close(fresh, { reason, nowMs: after(400) }, limits)!;
    const ended = settle(ending, 0, after(401), limits)!;

    expect([heartbeatResponse(ending), heartbeatResponse(ended)]).toEqual([inEnding, inEnded]);
    expect([endResponse(ending), endResponse(ended)]).toEqual([atEnd, atEnd]);
  });
});

describe('whatever happens, in whatever order', () => {
  const step = fc.tuple(
    fc.constantFrom('beat', 'deplete', 'warn', 'recharge', 'close', 'remind', 'settle', 'sweep'),
    fc.integer({ min: 0, max: 400 }),
  );
  const apply = (session: Session, trigger: string, nowMs: number): Session | undefined => {
    const reason =
      trigger === 'sweep'
        ? overdueReason(session, { nowMs, amnestyUntilMs: 0, suspendedUntilMs: 0 }, limits)
        : 'game_ended';
    if (trigger === 'beat') return beat(session, nowMs, limits);
    if (trigger === 'deplete') return deplete(session, limits);
    if (trigger === 'warn') return warn(session, nowMs, limits);
    if (trigger === 'recharge') return recharge(session, limits);
    if (trigger === 'remind') return remind(session, nowMs);
    if (trigger === 'settle') return settle(session, 0, nowMs, limits);
    return reason && close(session, { reason, nowMs }, limits);
  };

  test('seconds never exceed the session, never shrink while it plays, and never change after (I4, I6)', () => {
    const seed = Date.now();
    const property = fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let session = fresh;
      let nowMs = startedAtMs;
      for (const [trigger, waitSec] of steps) {
        nowMs += waitSec * 1000;
        const next = apply(session, trigger, nowMs) ?? session;
        const final = session.endReason !== null;
        expect(next.playDurationSec).toBeLessThanOrEqual((nowMs - startedAtMs) / 1000);
        if (final) expect(next.playDurationSec).toBe(session.playDurationSec);
        else expect(next.playDurationSec).toBeGreaterThanOrEqual(session.playDurationSec);
        if (next !== session) expect(next.version).toBe(session.version + 1);
        session = next;
      }
    });
    console.log(`seed ${seed}`);
    fc.assert(property, { numRuns: 10_000, seed });
  });
});

import { specLimits as limits } from '#libs/kernel/limits.ts';
import { syntheticSession } from '../../../support/synthetic-session.ts';
import { afterEnd, closeWithLauncher, spare } from '../../../../services/game-session/core/deadlines.ts';
import { renewalOf } from '../../../../services/game-session/core/responses.ts';
import { beat, deplete, warn } from '../../../../services/game-session/core/session.ts';
import type { Session } from '../../../../services/game-session/core/session.ts';

const startedAtMs = 1_700_000_000_000;
const fresh = syntheticSession('cafe-1', startedAtMs);
const after = (sec: number) => startedAtMs + sec * 1000;
const at = (sec: number) => ({ nowMs: after(sec), amnestyUntilMs: 0, suspendedUntilMs: 0 });
const playing = beat(fresh, after(100), limits)!;

test('an end after an outage that spared the session bills until it would have expired, and not the outage (D-09, D-11)', () => {
  const inGrace = warn(deplete(playing, limits)!, after(110), limits)!;
  const endedAt = (session: Session, sec: number) => {
    const amnesty = { ...at(sec), amnestyUntilMs: after(900) };
    return afterEnd(spare(session, after(900))!, amnesty, limits, undefined);
  };

  expect(endedAt(playing, 344)).toMatchObject({ endReason: 'game_ended', playDurationSec: 344 });
  expect(endedAt(playing, 700)).toMatchObject({ endReason: 'game_ended', playDurationSec: 345 });
  expect(endedAt(inGrace, 700)).toMatchObject({ endReason: 'game_ended', playDurationSec: 230 });
});

test('a clock that was further ahead than clocks may be keeps no session, and bills nothing (D-35)', () => {
  const ahead = beat(playing, after(4_000), limits)!;

  expect(beat(ahead, after(200), limits)).toMatchObject({ lastSeenAtMs: after(200), playDurationSec: 200 });
  expect(afterEnd(ahead, at(200), limits, undefined)).toMatchObject({ playDurationSec: 200 });
  expect(closeWithLauncher(ahead, after(200), at(200), limits)).toMatchObject({ playDurationSec: 200 });
});

test.each<[string, (session: Session) => Session | undefined]>([
  ['a heartbeat', (session) => beat(session, after(50), limits)],
  ['an end', (session) => afterEnd(session, at(50), limits, undefined)],
])('%s on a store whose clock is behind takes back no second that was counted', (_, happens) => {
  expect(happens(playing)).toMatchObject({ playDurationSec: 100 });
});

test('a launcher that closes when the session has expired ends nothing that was not over (D-10)', () => {
  const overdue = (now: number, atSec: number) => closeWithLauncher(fresh, after(atSec), at(now), limits);

  expect(overdue(300, 244)).toMatchObject({ endReason: 'launcher_ended', playDurationSec: 120 });
  expect(overdue(300, 245)).toMatchObject({ endReason: 'silence', playDurationSec: 0 });
});

test.each([
  [121, 59],
  [200, 20],
  [222, 10],
  [233, 3],
  [239, 1],
  [240, 10],
  [300, 10],
])(
  'at second %d of a grace that is over at 240 the next heartbeat is to come %i s later: within it, and where an amnesty holds it, not too often (D-08, D-42)',
  (sec, expected) => {
    const exhausted = warn(deplete(fresh, limits)!, after(120), limits)!;

    expect(renewalOf(exhausted, after(sec), limits).nextHeartbeatIn).toBe(expected);
  },
);

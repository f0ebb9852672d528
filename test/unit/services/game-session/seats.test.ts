import { specLimits as limits } from '#libs/kernel/limits.ts';
import { oneLivePerPc, takeSeat } from '../../../../services/game-session/core/seats.ts';
import { begin, deplete, warn } from '../../../../services/game-session/core/session.ts';

const newSession = (pc: string, serial: number, startedAtMs: number) =>
  begin(
    {
      order: {
        ...{ gameSessionId: `gs_0${String(serial).padStart(35, '0')}`, pcId: `pc_${pc}`, cafeId: 'cafe-1' },
        ...{ presentationId: 'p', tokenHash: 't', gameId: 'starfall', providerUserId: 'u1', isPcCafe: true },
        ...{ launcherSessionId: 'l', startedAtMs },
      },
      pending: false,
      remainingSec: 1,
    },
    limits,
  );

const at = (nowMs: number) => ({ nowMs, amnestyUntilMs: 0, suspendedUntilMs: 0 });

test('of two sessions that the log knows as live on one PC the later plays on, and the earlier was replaced by it (I2, D-24)', () => {
  const [earlier, later, elsewhere] = [
    newSession('a', 1, 1_000),
    newSession('a', 2, 61_000),
    newSession('b', 3, 0),
  ];

  const restored = oneLivePerPc([later, earlier, elsewhere], limits);

  expect(restored).toEqual([
    later,
    expect.objectContaining({ state: 'ending', endReason: 'replaced', version: 2, playDurationSec: 60 }),
    elsewhere,
  ]);
});

test('a start that comes when a later session of the PC plays has no second: the one before both may have been billed until that began (I2, D-09)', () => {
  const [before, delayed, later] = [
    newSession('a', 1, 0),
    newSession('a', 2, 60_000),
    newSession('a', 3, 66_000),
  ];
  const atLater = takeSeat(later, before, at(66_000), limits);
  expect(atLater).toMatchObject({ record: later, displaced: { endReason: 'replaced', playDurationSec: 66 } });

  const atDelayed = takeSeat(delayed, later, at(66_500), limits);

  expect(atDelayed).toMatchObject({
    state: 'ending',
    endReason: 'replaced',
    endedAtMs: 60_000,
    playDurationSec: 0,
  });
});

test('a session that had expired when the next one of its PC began was not replaced by it, although nobody had swept it yet (D-10)', () => {
  const [silent, next] = [newSession('a', 1, 0), newSession('a', 2, 245_000)];
  const spared = { ...at(245_500), suspendedUntilMs: 300_000 };

  expect(takeSeat(next, silent, at(245_500), limits)).toMatchObject({
    displaced: { endReason: 'silence', playDurationSec: 0 },
  });
  expect(takeSeat(next, silent, spared, limits)).toMatchObject({
    displaced: { endReason: 'replaced', playDurationSec: 120 },
  });
});

test('a session that the log knows as live, and that had expired when the next one of its PC began, was not replaced by it (D-10, D-24)', () => {
  const [silent, next] = [newSession('a', 1, 0), newSession('a', 2, 245_000)];
  const inGrace = warn(deplete(silent, limits)!, 1_000, limits)!;

  expect(oneLivePerPc([silent, next], limits)[0]).toMatchObject({ endReason: 'silence', playDurationSec: 0 });
  expect(oneLivePerPc([inGrace, next], limits)[0]).toMatchObject({ endReason: 'grace_over' });
});

test('a start of a clock that is ahead does not make a session that plays an expired one (D-35)', () => {
  const [playing, next] = [newSession('a', 1, 0), newSession('a', 2, 300_000)];

  expect(takeSeat(next, playing, at(5_000), limits)).toMatchObject({
    displaced: { endReason: 'replaced', playDurationSec: 5 },
  });
});

test('of three that the log knows as live on one PC each was replaced when the next began: no second is billed to two (I2, D-09, D-24)', () => {
  const [first, second, third] = [
    newSession('a', 1, 0),
    newSession('a', 2, 60_000),
    newSession('a', 3, 66_000),
  ];

  const restored = oneLivePerPc([third, first, second], limits);

  expect(restored.map(({ state, playDurationSec }) => [state, playDurationSec])).toEqual([
    ['active', 0],
    ['ending', 60],
    ['ending', 6],
  ]);
});

import { specLimits as limits } from '#libs/kernel/limits.ts';
import { oneLivePerPc } from '../../../../services/game-session/core/seats.ts';
import { begin } from '../../../../services/game-session/core/session.ts';

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

import { randomBytes, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { specLimits } from '#libs/kernel/limits.ts';
import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import { knownBalances } from '../../services/game-session/adapters/known-balances.ts';
import { redisSessions } from '../../services/game-session/adapters/redis-sessions.ts';
import { begin } from '../../services/game-session/core/session.ts';
import type { Ports } from '../../services/game-session/ports.ts';
import { clearLauncherLapse } from '../../services/game-session/usecases/clear-launcher-lapse.ts';
import { endWithLauncher } from '../../services/game-session/usecases/end-with-launcher.ts';
import { heartbeat } from '../../services/game-session/usecases/heartbeat.ts';
import { markLauncherLapse } from '../../services/game-session/usecases/mark-launcher-lapse.ts';
import { waitingCaller } from '../support/incoming.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 6 });
afterAll(async () => {
  await redis.flushdb();
  redis.disconnect();
});
const sessions = redisSessions(redis, specLimits, { packs: true });
const ports = {
  limits: specLimits,
  waits: { verifyMs: 10, heartbeatMs: 10, publishMs: 10 },
  sessions,
  request: async () => undefined,
  requestTogether: async () => undefined,
  balances: knownBalances({ awaitedPerSec: Infinity }),
  notes: { lateHeartbeat: () => undefined, spared: () => undefined },
  publish: async () => undefined,
} as unknown as Ports;

const [launcherSessionId, anotherLauncher] = [randomUUID(), randomUUID()];
const newPc = () => `pc_${randomBytes(16).toString('hex')}`;
/** Someone plays at the PC, with a token of the launcher session above. */
const play = async (pcId: string, startedAtMs = Date.now()) => {
  const gameSessionId = gameSessionIdFor(randomUUID(), pcId);
  const order = {
    ...{ gameSessionId, pcId, presentationId: randomUUID(), tokenHash: 'a'.repeat(64), cafeId: 'cafe-1' },
    ...{ gameId: 'starfall', providerUserId: 'u1', isPcCafe: true, launcherSessionId, startedAtMs },
  };
  const session = begin({ order, pending: false, remainingSec: 1 }, specLimits);
  await sessions.update(gameSessionId, () => session, pcId);
  return { gameSessionId, providerUserId: 'u1' };
};
const beat = (body: { gameSessionId: string; providerUserId: string }) =>
  heartbeat(ports)({ caller: { gameId: 'starfall' }, incoming: waitingCaller, body } as Parameters<
    ReturnType<typeof heartbeat>
  >[0]);
const changeOf = (pcId: string, atMs: number, id: string = launcherSessionId) => ({
  ...{ pcId, atMs, cafeId: 'cafe-1', launcherSessionId: id, superseded: false },
});

describe('a launcher lapses or ends (spec 3.2, D-36)', () => {
  test('a lapse that is published late, when the launcher has come back, ends nothing', async () => {
    const pcId = newPc();
    const now = Date.now();
    const player = await play(pcId, now - 60_000);

    await clearLauncherLapse(ports)(changeOf(pcId, now - 10_000, anotherLauncher));
    await markLauncherLapse(ports)(changeOf(pcId, now - 20_000));

    await expect(beat(player)).resolves.toMatchObject({ result: 'OK' });
  });

  test('a lapse of the launcher that came back ends the session at its next heartbeat', async () => {
    const pcId = newPc();
    const now = Date.now();
    const player = await play(pcId, now - 60_000);

    await clearLauncherLapse(ports)(changeOf(pcId, now - 10_000, anotherLauncher));
    await markLauncherLapse(ports)(changeOf(pcId, now - 5_000, anotherLauncher));

    await expect(beat(player)).rejects.toMatchObject({ code: 'SESSION_ENDED' });
  });

  test.each([
    ['lapsed', markLauncherLapse, 'launcher_lapsed', 'SESSION_ENDED'],
    ['ended', endWithLauncher, 'launcher_ended', 'SESSION_ENDING'],
  ] as const)(
    'a launcher that %s between its token and the start of billing: the session ends at its first heartbeat',
    async (_, handle, endReason, code) => {
      const pcId = newPc();
      const now = Date.now();

      await handle(ports)(changeOf(pcId, now - 1_000));
      const player = await play(pcId, now);

      await expect(beat(player)).rejects.toMatchObject({ code });
      const { record } = await sessions.read(player.gameSessionId);
      const passedSec = Math.floor((Date.now() - now) / 1000);
      expect(record).toMatchObject({ state: 'ending', endReason });
      expect(record?.playDurationSec).toBeGreaterThanOrEqual(0);
      expect(record?.playDurationSec).toBeLessThanOrEqual(endReason === 'launcher_ended' ? 0 : passedSec);
    },
  );

  test('an end of an earlier visitor of the PC does not concern who came later', async () => {
    const pcId = newPc();
    const now = Date.now();

    await endWithLauncher(ports)(changeOf(pcId, now - 1_000, anotherLauncher));
    const player = await play(pcId, now);

    await expect(beat(player)).resolves.toMatchObject({ result: 'OK' });
  });

  test('an end that is published late, when the launcher has come back, ends what was played then, and nothing later', async () => {
    const pcId = newPc();
    const now = Date.now();
    const late = { ...changeOf(pcId, now - 20_000), superseded: true };
    const earlier = await play(pcId, now - 60_000);

    await clearLauncherLapse(ports)(changeOf(pcId, now - 10_000, anotherLauncher));
    await endWithLauncher(ports)(late);
    await expect(beat(earlier)).rejects.toMatchObject({ code: 'SESSION_ENDING' });

    const emptyPc = newPc();
    await clearLauncherLapse(ports)(changeOf(emptyPc, now - 10_000, anotherLauncher));
    await endWithLauncher(ports)({ ...late, pcId: emptyPc });
    await expect(beat(await play(emptyPc, now))).resolves.toMatchObject({ result: 'OK' });
  });

  test.each(['while somebody plays at the PC', 'while nobody does'])(
    'a launcher that starts %s takes back its lapse; only where somebody plays anything is left to note',
    async (when) => {
      const pcId = newPc();
      const now = Date.now();
      const player = when === 'while nobody does' ? undefined : await play(pcId, now - 60_000);
      await markLauncherLapse(ports)(changeOf(pcId, now - 10_000));

      await clearLauncherLapse(ports)(changeOf(pcId, now - 5_000, anotherLauncher));

      const mark = await redis.hget(`gsb:game-session:{${pcId.charAt(3)}}:marks`, pcId);
      expect(mark).toBe(player ? `${now - 5_000} started -` : null);
      await expect(beat(player ?? (await play(pcId, now)))).resolves.toMatchObject({ result: 'OK' });
    },
  );

  test('what launchers did is forgotten after a day, as new marks come', async () => {
    const [old, next] = [newPc(), newPc()].map((pcId) => `pc_7${pcId.slice(4)}`) as [string, string];

    await markLauncherLapse(ports)(changeOf(old, Date.now() - 86_400_001));
    const marks = 'gsb:game-session:{7}:marks';
    expect(await redis.hexists(marks, old)).toBe(1);

    // Each looks at some of those that are there, whichever they are.
    for (let at = 0; at < 5_000 && (await redis.hexists(marks, old)) === 1; at += 1)
      await markLauncherLapse(ports)(changeOf(next, Date.now()));

    expect(await redis.hexists(marks, old)).toBe(0);
    expect(await redis.hexists(marks, next)).toBe(1);
  });
});

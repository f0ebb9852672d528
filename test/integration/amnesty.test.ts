import { randomBytes, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { specLimits } from '#libs/kernel/limits.ts';
import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import { knownBalances } from '../../services/game-session/adapters/known-balances.ts';
import { redisSessions } from '../../services/game-session/adapters/redis-sessions.ts';
import { begin } from '../../services/game-session/core/session.ts';
import type { Session } from '../../services/game-session/core/session.ts';
import type { Ports } from '../../services/game-session/ports.ts';
import { handleDeadline } from '../../services/game-session/usecases/handle-deadline.ts';
import { heartbeat } from '../../services/game-session/usecases/heartbeat.ts';
import { waitingCaller } from '../support/incoming.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 5 });
afterAll(async () => {
  await redis.flushdb();
  redis.disconnect();
});

const sessions = redisSessions(redis, specLimits, { packs: true });
const published: string[] = [];
const ports = {
  limits: specLimits,
  waits: { verifyMs: 10, heartbeatMs: 10 },
  sessions,
  request: async () => undefined,
  requestTogether: async () => undefined,
  balances: knownBalances({ awaitedPerSec: Infinity }),
  notes: { lateHeartbeat: () => undefined, spared: () => undefined },
  publish: async (name: string) => void published.push(name),
} as unknown as Ports;

/** A session whose last sign of life was so many seconds ago. */
const silentFor = async (sec: number): Promise<Session> => {
  const pcId = `pc_${randomBytes(16).toString('hex')}`;
  const gameSessionId = gameSessionIdFor(randomUUID(), pcId);
  const startedAtMs = Date.now() - sec * 1000;
  const order = {
    ...{ gameSessionId, pcId, presentationId: randomUUID(), tokenHash: 'a'.repeat(64), cafeId: 'cafe-1' },
    ...{
      gameId: 'starfall',
      providerUserId: 'u1',
      isPcCafe: true,
      launcherSessionId: randomUUID(),
      startedAtMs,
    },
  };
  const session = begin({ order, pending: false, remainingSec: 1 }, specLimits);
  await sessions.update(gameSessionId, () => session, pcId);
  return session;
};

const shardsWatch = (session: Session) => `gsb:game-session:{${session.pcId.charAt(3)}}:watch`;
const nobodySweptFor = (session: Session, sec: number) =>
  redis.hset(shardsWatch(session), 'swept', Date.now() - sec * 1000);
const call = (session: Session) =>
  heartbeat(ports)({
    caller: { gameId: session.gameId },
    incoming: waitingCaller,
    body: { gameSessionId: session.gameSessionId, providerUserId: session.providerUserId },
  } as Parameters<ReturnType<typeof heartbeat>>[0]);

describe('D-11: our own outage is never counted against a player', () => {
  test('after we were away for 31 s, a heartbeat that is far too late is as good as any', async () => {
    const session = await silentFor(600);
    await nobodySweptFor(session, 31);

    await expect(call(session)).resolves.toMatchObject({ result: 'OK' });
  });

  test('the first sweep after an outage expires nobody, and the amnesty lasts one full window', async () => {
    const session = await silentFor(600);
    await nobodySweptFor(session, 31);

    const { nowMs: beforeMs } = await sessions.read(session.gameSessionId);
    await sessions.due(10);
    await handleDeadline(ports)(session.gameSessionId);

    const { record: spared, nowMs: afterMs } = await sessions.read(session.gameSessionId);
    expect(spared?.state).toBe('active');
    expect(spared?.deadlineAtMs).toBeGreaterThanOrEqual(beforeMs + 245_000);
    expect(spared?.deadlineAtMs).toBeLessThanOrEqual(afterMs + 245_000);
  });

  test('when we were there all the time, silence ends the session', async () => {
    const session = await silentFor(600);
    await redis.del(shardsWatch(session));
    await sessions.due(10);

    await handleDeadline(ports)(session.gameSessionId);

    expect((await sessions.read(session.gameSessionId)).record).toMatchObject({
      state: 'ending',
      endReason: 'silence',
    });
    await expect(call(session)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});

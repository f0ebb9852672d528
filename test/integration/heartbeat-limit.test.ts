import { randomBytes, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { heartbeatLimit } from '#libs/kernel/rate.ts';
import { specLimits as limits } from '#libs/kernel/limits.ts';
import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import { redisSessions, sessionsPrefix } from '../../services/game-session/adapters/redis-sessions.ts';
import { afterHeartbeat } from '../../services/game-session/core/deadlines.ts';
import { begin, deplete } from '../../services/game-session/core/session.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 3 });
afterAll(async () => {
  await redis.flushdb();
  redis.disconnect();
});
const heartbeats = heartbeatLimit(limits.heartbeatIntervalSec);
const sessions = redisSessions(redis, limits, { packs: true, heartbeats });

const newSession = async (isDepleted: boolean): Promise<string> => {
  const pcId = `pc_${randomBytes(16).toString('hex')}`;
  const gameSessionId = gameSessionIdFor(randomUUID(), pcId);
  const order = {
    ...{ gameSessionId, pcId, presentationId: randomUUID(), tokenHash: 'a'.repeat(64), cafeId: 'cafe-1' },
    ...{ gameId: 'starfall', providerUserId: 'u1', isPcCafe: true, launcherSessionId: randomUUID() },
    startedAtMs: Date.now(),
  };
  const active = begin({ order, pending: false, remainingSec: 1 }, limits);
  await sessions.update(gameSessionId, () => (isDepleted ? deplete(active, limits) : active), pcId);
  return gameSessionId;
};

const beat = async (id: string) =>
  (await sessions.beat(id, { gameId: 'starfall', providerUserId: 'u1' })) ??
  (await sessions.updateByBeat(id, (now) => now.record && afterHeartbeat(now.record, now, limits)));
/** The first is heard by the script, the second by the tables. */
const kinds: [what: string, isDepleted: boolean][] = [
  ['that plays', false],
  ['whose balance is used up', true],
];
const code = (error: unknown) => (error as { code: string }).code;

test.each(kinds)(
  'a session %s has ten heartbeats at once, however many come together, and then one each ten seconds (D-42)',
  async (_, isDepleted) => {
    const id = await newSession(isDepleted);
    const beganMs = performance.now();

    const answers: string[] = [];
    for (let at = 0; at < 12; at += 1) answers.push(await beat(id).then(() => 'OK', code));
    const version = (await sessions.read(id)).record!.version;
    const together = await Promise.all(Array.from({ length: 20 }, () => beat(id).then(() => 'OK', code)));

    expect(answers).toEqual([...Array<string>(10).fill('OK'), 'RATE_LIMITED', 'RATE_LIMITED']);
    expect(new Set(together)).toEqual(new Set(['RATE_LIMITED']));
    expect((await sessions.read(id)).record!.version).toBe(version);
    const refused = await beat(id).catch((error: unknown) => error);
    const passedSec = (performance.now() - beganMs) / 1000;
    expect(refused).toMatchObject({ details: { limit: { burst: 10, windowSec: 100 } } });
    const { retryAfterSec } = (refused as { details: { retryAfterSec: number } }).details;
    expect(retryAfterSec).toBeLessThanOrEqual(10);
    expect(retryAfterSec).toBeGreaterThanOrEqual(Math.floor(10 - passedSec));
  },
);

test.each(kinds)(
  'a session %s that a clock ahead of all others has noted is heard at once when another one counts, and counted by it (D-35, D-42)',
  async (_, isDepleted) => {
    const id = await newSession(isDepleted);
    await beat(id);
    const aheadMs = Date.now() + 600_000;
    await redis.hset(`${sessionsPrefix}:{${id[3]}}:record:${id}`, { F: aheadMs, h: aheadMs });

    await beat(id);

    const { record } = await sessions.read(id);
    expect(record!.lastSeenAtMs).toBeLessThanOrEqual(Date.now());
    expect(record!.playDurationSec).toBeLessThan(10);
  },
);

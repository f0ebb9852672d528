import { randomBytes, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { specLimits } from '#libs/kernel/limits.ts';
import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import { redisSessions } from '../../services/game-session/adapters/redis-sessions.ts';
import { begin } from '../../services/game-session/core/session.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 15 });
afterAll(() => redis.disconnect());

const newSession = () => {
  const pcId = `pc_5${randomBytes(16).toString('hex').slice(1)}`;
  const order = {
    ...{ pcId, presentationId: randomUUID(), tokenHash: 'a'.repeat(64), cafeId: 'cafe-1', isPcCafe: true },
    ...{ gameId: 'starfall', providerUserId: 'u1', launcherSessionId: randomUUID(), startedAtMs: Date.now() },
    gameSessionId: gameSessionIdFor(randomUUID(), pcId),
  };
  return begin({ order, pending: false, remainingSec: 1 }, specLimits);
};

test('what is no record stands in nobody’s way: a rebuild puts what the log knows in its place', async () => {
  const sessions = redisSessions(redis, specLimits, { packs: true });
  const [spoiled, other] = [newSession(), newSession()];
  const key = `gsb:game-session:{5}:record:${spoiled.gameSessionId}`;
  await sessions.restore([spoiled]);
  expect(await redis.del(key)).toBe(1);
  await redis.set(key, 'text');

  await sessions.restore([spoiled, other]);

  for (const { gameSessionId } of [spoiled, other])
    expect((await sessions.read(gameSessionId)).record).toMatchObject({ gameSessionId, state: 'active' });
});

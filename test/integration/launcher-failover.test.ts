import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { specLimits } from '#libs/kernel/limits.ts';
import { shards } from '#libs/kernel/shards.ts';
import { createHotView } from '#libs/records/hot-view.ts';
import { guardState } from '#libs/records/mass-expiry-guard.ts';
import {
  adoptLaunchers,
  launchersPrefix,
  redisLauncherSessions,
} from '../../services/launcher-gateway/adapters/redis-launcher-sessions.ts';
import { begin, silenceMs } from '../../services/launcher-gateway/core/launcher-session.ts';
import type { Ports } from '../../services/launcher-gateway/ports.ts';
import { handleDeadline } from '../../services/launcher-gateway/usecases/handle-deadline.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 7 });
const nothing = () => undefined;
const silent = {
  log: { info: nothing, warn: nothing, debug: nothing },
  metrics: { gauge: () => ({ set: nothing }), counter: () => ({ inc: nothing }) },
};
const view = createHotView({
  ...silent,
  ...{ redis, prefix: launchersPrefix, instance: 'one', live: 'expiries', amnestyMs: silenceMs(specLimits) },
  rebuild: adoptLaunchers,
} as never);
afterAll(async () => {
  await view.stop();
  await redis.flushdb();
  redis.disconnect();
});

/** A launcher whose last heartbeat that this server knows is older than its silence. */
const silentLauncher = async (): Promise<string> => {
  const pcId = `pc_${randomBytes(16).toString('hex')}`;
  const id = pcId.charAt(3) + randomBytes(32).toString('hex');
  const seat = {
    launcherSessionId: crypto.randomUUID(),
    cafeId: 'cafe-1',
    keyId: 'cafe-1.k1',
    pcId,
    ip: '203.0.113.7',
    isPcCafe: true,
    keyFingerprint: null,
    isOwnKey: null,
    traceparent: null,
  };
  const session = begin({ id, tokenHash: 'a'.repeat(64), ...seat }, Date.now() - 300_000, specLimits);
  await redisLauncherSessions(redis, specLimits, { packs: true }).update(id, () => session, pcId);
  return id;
};

test('a promoted replica lacks heartbeats of launchers: none lapses for one silence, and none is read before that is known (D-24)', async () => {
  const id = await silentLauncher();
  const onServer = (shard: string) =>
    redis.hset(`${launchersPrefix}:{${shard}}:watch`, 'view', 'another server', 'swept', Date.now());
  await Promise.all(shards.map(onServer));
  const sessions = redisLauncherSessions(redis, specLimits, { packs: true, trust: view });
  await expect(sessions.read(id)).rejects.toMatchObject({ code: 'UNAVAILABLE' });

  const [sec = 0, micros = 0] = await redis.time();
  await view.start(nothing);
  const published: string[] = [];
  const ports = { sessions, limits: specLimits, publish: async (name: string) => void published.push(name) };
  await sessions.due(4);
  await handleDeadline(ports as unknown as Ports)(id);

  const { record, nowMs: afterMs } = await sessions.read(id);
  expect(record?.state).toBe('live');
  expect(record?.deadlineAtMs).toBeGreaterThanOrEqual(sec * 1000 + Math.floor(micros / 1000) + 245_000);
  expect(record?.deadlineAtMs).toBeLessThanOrEqual(afterMs + 245_000);
  expect(published).toEqual([]);
});

test('more than fifty launchers that are silent at once are rather our fault: none is due (D-25)', async () => {
  await redis.flushdb();
  await Promise.all(Array.from({ length: 60 }, silentLauncher));
  const sessions = redisLauncherSessions(redis, specLimits, { packs: true, massExpiryGuard: guardState });

  expect(await sessions.due(4)).toEqual([]);
});

import { Redis } from 'ioredis';
import { redisCafeCache } from '../../services/launcher-gateway/adapters/redis-cafe-cache.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 12 });
beforeEach(() => redis.flushdb());
afterAll(async () => {
  await redis.flushdb();
  redis.disconnect();
});
const forgottenInMs = async (ip: string) => redis.pttl(`gsb:cafe:{${ip}}`);

test.each([
  ['a cafe’s', 'cafe-1', 60_000],
  ['no cafe’s', null, 10_000],
])('that an address is %s (%j) is believed for %i ms at most (D-42, D-45)', async (_, cafeId, mostMs) => {
  const cache = redisCafeCache(redis);
  await cache.set('203.0.113.10', cafeId);

  expect(await cache.get('203.0.113.10')).toBe(cafeId);
  expect(await forgottenInMs('203.0.113.10')).toBeGreaterThan(0);
  expect(await forgottenInMs('203.0.113.10')).toBeLessThanOrEqual(mostMs);
});

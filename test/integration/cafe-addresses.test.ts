import { Redis } from 'ioredis';
import { redisCafeCache } from '../../services/launcher-gateway/adapters/redis-cafe-cache.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 12 });
beforeEach(() => redis.flushdb());
afterAll(async () => {
  await redis.flushdb();
  redis.disconnect();
});
const ip = '203.0.113.10';
const key = `gsb:cafe:last:{${ip}}`;
const growOlder = async (ms: number) => redis.pexpire(key, (await redis.pttl(key)) - ms);

test.each([
  ['a cafe’s', 'cafe-1', 60_000],
  ['no cafe’s', null, 10_000],
])(
  'that an address is %s (%j) is asked about again after %i ms, and remembered for an hour (D-42, D-45)',
  async (_, cafeId, freshMs) => {
    const cache = redisCafeCache(redis);
    await cache.set(ip, cafeId);

    expect(await cache.get(ip)).toEqual({ cafeId, isFresh: true });
    await growOlder(freshMs);
    expect(await cache.get(ip)).toEqual({ cafeId, isFresh: false });
    await growOlder(3_600_000 - freshMs);
    expect(await cache.get(ip)).toBeUndefined();
  },
);

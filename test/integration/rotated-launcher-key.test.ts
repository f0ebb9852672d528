import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { z } from 'zod';
import type { LauncherKey } from '#libs/catalog/catalog.ts';
import { redisRateLimiter } from '#libs/rate-limits/rate-limiter.ts';
import { rateLimitSettings } from '#libs/runtime/rate-limit-settings.ts';
import { launcherRateLimits } from '../../services/launcher-gateway/adapters/launcher-rate-limits.ts';
import { inTurn } from '../support/limits-met.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 0 });
const scope = 'rotated-launcher-key';
const forget = async () => {
  const keys = await redis.keys(`gsb:limit:{${scope}}:*`);
  if (keys.length > 0) await redis.del(keys);
};
beforeEach(forget);
afterAll(async () => {
  await forget();
  redis.disconnect();
});

const keyOf = (cafeId: string): LauncherKey => ({
  ...{ cafeId, secret: Buffer.alloc(32), fingerprint: 'f', isShared: true },
});
const keys = new Map([
  ['k1', keyOf('cafe-1')],
  ['k2', keyOf('cafe-1')],
  ['other', keyOf('cafe-2')],
]);
const settings = { RATE_FAILURES_PER_ADDRESS: '3/600', RATE_STARTS_PER_ADDRESS: '5/600' };
const limits = launcherRateLimits(
  redisRateLimiter(redis, scope, () => undefined),
  { ...z.object(rateLimitSettings).parse(settings), HEARTBEAT_INTERVAL_SEC: 120 },
  { launcherKey: (keyId) => keys.get(keyId) },
);

const address = '203.0.113.10';
/** What a start meets before its signature is looked at. */
const start = (keyId: string, from = address) => limits.signedStart(from, { keyId });
const startedWith = (keyId: string) => {
  const caller = { cafeId: 'cafe-1', keyId, keyFingerprint: 'f', isOwnKey: true, ip: address };
  return limits.provenStart(caller, `pc_${randomUUID()}`);
};
const signWrongly = (keyId: string) =>
  inTurn(4, () => limits.failedStart(address, keyId).catch(() => 'limited'));
const limited = { code: 'RATE_LIMITED' };

describe('a cafe that has started from its address, and gets another key (D-42)', () => {
  test.each(['nobody-has-it', 'other', 'k1', 'k2'])(
    'starts with it, whoever signs wrongly as %s behind the same address',
    async (keyId) => {
      await startedWith('k1');
      await signWrongly(keyId);

      await expect(start('k2')).resolves.toBeUndefined();
      await expect(start('k1')).resolves.toBeUndefined();
    },
  );

  test('has all its starts from one address, as before', async () => {
    await startedWith('k1');

    await expect(inTurn(20, () => start('k2'))).resolves.toHaveLength(20);
  });
});

test('a key of another cafe, or one that nobody has, is spared no failure there (D-42)', async () => {
  await startedWith('k1');
  await signWrongly('nobody-has-it');

  await expect(start('other')).rejects.toMatchObject(limited);
  await expect(start('nobody-has-it')).rejects.toMatchObject(limited);
});

test('nor is a key of the cafe at an address from which it never started (D-42)', async () => {
  const elsewhere = '198.51.100.7';
  await startedWith('k1');
  await inTurn(4, () => limits.failedStart(elsewhere, 'nobody-has-it').catch(() => 'limited'));

  await expect(start('k2', elsewhere)).rejects.toMatchObject(limited);
});

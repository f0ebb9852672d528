import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { derivePcSecret, pcIdOf, pcKeyId } from '#libs/catalog/pc-keys.ts';
import { inTurn, limitedBy, statusesOf, times } from '../support/limits-met.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { signedStart } from '../support/signed-start.ts';
import { cafeOf } from '../support/suite-stack.ts';

const own = useOwnStack({ RATE_STARTS_PER_PC: '1/600', CAFE_PCS: '12' });
const start = (change?: Parameters<typeof signedStart>[1]) => signedStart(own.stack.facts(), change);

/** How many nonces are remembered. */
const stored = async (): Promise<number> => {
  const redis = new Redis(own.stack.redis.url);
  const keys = await redis.keys('gsb:nonce:{launcher}:*:?');
  const counts = await Promise.all(keys.map((key) => redis.hlen(key)));
  redis.disconnect();
  return counts.reduce((sum, count) => sum + count, 0);
};
/** How many more are remembered after so many starts, and their statuses. */
const storedBy = async (count: number, change: Parameters<typeof signedStart>[1]) => {
  const before = await stored();
  const answers = await inTurn(count, () => start(change));
  return { statuses: statusesOf(answers), last: answers.at(-1), nonces: (await stored()) - before };
};
const firstOnes = (count: number, allowed: number) => times(count).map((at) => (at < allowed ? 200 : 429));

describe('a start that is refused whatever its nonce is leaves none in Redis (D-42)', () => {
  test('where its PC has started too often with the key that its cafe shares', async () => {
    const looped = await storedBy(20, { cafe: 2, machineId: randomUUID() });

    expect(looped).toMatchObject({ statuses: firstOnes(20, 4), nonces: 4 });
    expect(looped.last).toMatchObject(limitedBy('starts-pc', 4, 600));
  });

  test('where its PC has started too often with a key of its own', async () => {
    const { cafeId, keyId, secret } = cafeOf(own.stack.facts(), 2);
    const machineId = randomUUID();
    const pcId = pcIdOf(cafeId, machineId);
    const key = { keyId: pcKeyId(keyId, pcId), secret: derivePcSecret(secret, pcId) };

    const looped = await storedBy(20, { cafe: 2, machineId, ...key });

    expect(looped).toMatchObject({ statuses: firstOnes(20, 4), nonces: 4 });
    expect(looped.last).toMatchObject(limitedBy('starts-pc', 4, 600));
  });

  test('where its cafe has no starts left', async () => {
    const looped = await storedBy(30, { cafe: 1 });

    expect(looped).toMatchObject({ statuses: firstOnes(30, 12), nonces: 12 });
    expect(looped.last).toMatchObject(limitedBy('starts-cafe', 12, 600));
  });

  test('where its body names no PC', async () => {
    const looped = await storedBy(5, { cafe: 0, prefix: '!' });

    expect(looped).toMatchObject({ statuses: [400, 400, 400, 400, 400], nonces: 0 });
  });
});

test('what expires in Redis is freed beside what it does', async () => {
  const redis = new Redis(own.stack.redis.url);
  const [, value] = await redis.config('GET', 'lazyfree-lazy-expire');
  redis.disconnect();
  expect(value).toBe('yes');
});

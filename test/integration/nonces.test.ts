import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { redisNonces } from '../../services/launcher-gateway/adapters/redis-nonces.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 11 });
beforeEach(() => redis.flushdb());
afterAll(async () => {
  await redis.flushdb();
  redis.disconnect();
});

/** A process that is connected to the server of this run id; the server of a process may become another one. */
const processOn = (runId: string, packs = true) => {
  const at = { runId };
  const { use, noteServer, forgetServer } = redisNonces(
    redis,
    { server: () => at.runId, lost: () => undefined },
    { packs },
  );
  return { use, noteServer, forgetServer, failOverTo: (other: string) => (at.runId = other) };
};
const nowSec = () => Math.floor(Date.now() / 1000);
const signed = (agoSec: number) => ({ keyId: 'k1', nonce: randomUUID(), createdSec: nowSec() - agoSec });
/** What the new primary lacks of the old one. */
const loseNonces = async () => {
  const keys = await redis.keys('gsb:nonce:*');
  await Promise.all(keys.filter((key) => !key.endsWith(':since')).map((key) => redis.del(key)));
};

test('a nonce is used once, and on a store where there was none before any signature of the window counts (D-44)', async () => {
  const { use } = processOn('one');
  const [first, old] = [signed(0), signed(290)];

  expect([await use(first), await use(first), await use(old), await use(old)]).toEqual([
    ...['fresh', 'replayed', 'fresh', 'replayed'],
  ]);
});

test.each([true, false])(
  'a nonce that was used while names were packed or not (%s) cannot be used where it is the other way (D-57)',
  async (packs) => {
    const nonce = signed(0);

    expect(await processOn('one', packs).use(nonce)).toBe('fresh');
    expect(await processOn('one', !packs).use(nonce)).toBe('replayed');
  },
);

test('a failover makes no nonce usable twice, and refuses nothing that is signed after it (D-44)', async () => {
  const gateway = processOn('one');
  const recorded = signed(0);
  await gateway.use(recorded);

  await loseNonces();
  gateway.failOverTo('two');

  expect(await gateway.use(recorded)).toBe('perhaps_replayed');
  expect(await processOn('two').use(recorded)).toBe('perhaps_replayed');
  expect(await gateway.use(signed(-1))).toBe('fresh');
});

test('a server that has what it had as a primary before is another one (D-44)', async () => {
  const gateway = processOn('one');
  const recorded = signed(0);
  await gateway.use(recorded);
  await loseNonces();

  await gateway.forgetServer();

  expect(await processOn('one').use(recorded)).toBe('perhaps_replayed');
});

test('an emptied store is noticed by a process that has used nonces on it (D-44)', async () => {
  const gateway = processOn('one');
  const recorded = signed(0);
  await gateway.use(recorded);

  await redis.flushdb();

  expect(await gateway.use(recorded)).toBe('perhaps_replayed');
});

test('a failover in a quiet hour is noted when it happens: the first who signs long after it is let in (D-44)', async () => {
  const gateway = processOn('one');
  await gateway.use(signed(0));
  gateway.failOverTo('two');
  await gateway.noteServer();
  const since = Number(await redis.hget('gsb:nonce:{launcher}:since', 'since_sec'));

  expect(since).toBeGreaterThanOrEqual(nowSec() - 1);
  expect(await gateway.use({ ...signed(0), createdSec: since + 1 })).toBe('fresh');
});

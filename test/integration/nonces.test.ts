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

/** The hashes that nonces are members of. */
const hashKeys = () => redis.keys('gsb:nonce:{launcher}:*:[01]');
/** What the next turn of the hashes makes of them. */
const passTurn = async () => {
  for (const key of await hashKeys())
    await redis.rename(
      key,
      key.replace(/[01]$/, (turn) => String(1 - Number(turn))),
    );
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
    await passTurn();
    expect(await processOn('one', !packs).use(nonce)).toBe('replayed');
    await passTurn();
    expect(await processOn('one', !packs).use(nonce)).toBe('replayed');
  },
);

test.each([true, false])(
  'a nonce is used once however many try it at once, on replicas that pack and that do not, %s the first (D-57)',
  async (packs) => {
    for (let round = 0; round < 20; round += 1) {
      const nonce = signed(0);
      const replicas = [packs, !packs, packs, !packs].map((each) => processOn('one', each));

      const outcomes = await Promise.all(replicas.map(({ use }) => use(nonce)));

      expect(outcomes.toSorted()).toEqual(['fresh', 'replayed', 'replayed', 'replayed']);
    }
  },
);

test('a nonce signed again at another second is used all the same, and so is one at the end of a turn of its hash (D-14)', async () => {
  const { use } = processOn('one');
  const nonce = signed(250);
  await use(nonce);

  expect(await use({ ...nonce, createdSec: nonce.createdSec + 200 })).toBe('replayed');
  await passTurn();
  expect(await use(nonce)).toBe('replayed');
});

test('a nonce is kept for as long as its signature is good anywhere, also where its hash was about to be forgotten (D-14, D-35)', async () => {
  const { use } = processOn('one');
  const nonce = signed(0);
  await use(nonce);
  const [key = ''] = await hashKeys();
  await redis.del(key);
  await redis.hset(key, 'of the turn before last', '');
  await redis.pexpire(key, 60_000);

  expect(await use(nonce)).toBe('fresh');

  expect(await redis.pttl(key)).toBeGreaterThan(900_000 - 1_000);
  expect(await redis.pttl(key)).toBeLessThanOrEqual(1_800_000);
});

test('while many PCs start, a nonce takes less than 40 bytes of Redis (D-57)', async () => {
  const { use } = processOn('one');
  const count = 20_000;
  const all = Array.from({ length: count }, () => signed(0));
  for (let at = 0; at < count; at += 1_000) await Promise.all(all.slice(at, at + 1_000).map(use));

  const keys = await hashKeys();
  const sizes = await Promise.all(keys.map((key) => redis.memory('USAGE', key)));

  expect(sizes.reduce<number>((sum, size) => sum + Number(size), 0) / count).toBeLessThan(40);
});

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
  const failedOverSec = nowSec();
  await gateway.noteServer();
  const since = Number(await redis.hget('gsb:nonce:{launcher}:since', 'since_sec'));

  expect(since).toBeGreaterThanOrEqual(failedOverSec - 1);
  expect(await gateway.use({ ...signed(0), createdSec: since + 1 })).toBe('fresh');
});

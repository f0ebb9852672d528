import { randomBytes, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { Refusal } from '#libs/contracts/errors.ts';
import { gameSession } from '#libs/contracts/events/game-sessions.ts';
import { toWire } from '#libs/contracts/wire.ts';
import { specLimits as limits } from '#libs/kernel/limits.ts';
import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import { createTally } from '#libs/records/tally.ts';
import type { Tallied } from '#libs/records/tally.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { sessionTally } from '../../services/game-session/adapters/count-sessions.ts';
import { redisSessions, sessionsPrefix } from '../../services/game-session/adapters/redis-sessions.ts';
import { beat, begin } from '../../services/game-session/core/session.ts';
import { redisOtts } from '../../services/ott/adapters/redis-otts.ts';
import { advance, mint } from '../../services/ott/core/ott.ts';
import { eventually } from '../support/eventually.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 1 });
beforeEach(() => redis.flushdb());
afterAll(async () => {
  await redis.flushdb();
  redis.disconnect();
});

const packed = redisSessions(redis, limits, { packs: true });
/** Until an answer has told it the server's time, it does not say until when a heartbeat is waited for: on a busy machine that may be over. */
const withoutClock = () => redisSessions(redis, limits, { packs: true });
const asJson = redisSessions(redis, limits, { packs: false });
const pcId = `pc_3${randomBytes(16).toString('hex').slice(1)}`;
const newSession = () => {
  const order = {
    ...{ gameSessionId: gameSessionIdFor(randomUUID(), pcId), pcId, presentationId: randomUUID() },
    ...{ tokenHash: 'a'.repeat(64), cafeId: 'cafe-1', gameId: 'starfall', providerUserId: 'u1' },
    ...{ isPcCafe: true, launcherSessionId: randomUUID(), startedAtMs: Date.now() },
  };
  return begin({ order, pending: false, remainingSec: 1 }, limits);
};
const whose = { gameId: 'starfall', providerUserId: 'u1' };
const keyOf = (id: string) => `${sessionsPrefix}:{3}:record:${id}`;

test('a record is read in either form, and written in the one that is set, with its seat and its deadline (D-57)', async () => {
  const session = newSession();
  const { gameSessionId: id } = session;
  await asJson.update(id, () => session, pcId);
  const json = gameSession.parse(JSON.parse((await redis.hget(keyOf(id), 'json')) ?? ''));
  expect(json).toEqual(toWire(session));

  for (const writer of [packed, asJson, packed]) {
    const { record, after } = await writer.update(
      id,
      (current) => current.record && beat(current.record, current.nowMs, limits),
    );
    expect(after?.version).toBe((record?.version ?? 0) + 1);
    for (const reader of [packed, asJson]) expect((await reader.read(id)).record).toEqual(after);
    expect(await redis.hexists(keyOf(id), 'json')).toBe(writer === asJson ? 1 : 0);
    expect(await packed.holderOf(pcId)).toBe(id);
    expect(Number(await redis.zscore(`${sessionsPrefix}:{3}:expiries`, id))).toBe(after?.deadlineAtMs);
  }
});

test('a heartbeat of a session that stands as JSON is left to the tables, which pack it; the next takes one round trip', async () => {
  const session = newSession();
  const { gameSessionId: id } = session;
  await asJson.update(id, () => session, pcId);

  expect(await packed.beat(id, whose)).toBeUndefined();
  await packed.update(id, ({ record, nowMs }) => record && beat(record, nowMs, limits));

  const heard = await withoutClock().beat(id, whose);
  expect(JSON.parse(heard?.json ?? '')).toMatchObject({ version: 3, pc_id: pcId });
});

test('a session whose bucket is no number has a full one: its heartbeat and those beside it are heard (D-42)', async () => {
  const sessions = ['a', 'b'].map((digit) => ({ ...newSession(), pcId: `pc_3${digit}${pcId.slice(5)}` }));
  for (const session of sessions) await packed.update(session.gameSessionId, () => session, session.pcId);
  const ids = sessions.map(({ gameSessionId }) => gameSessionId);
  await redis.hset(keyOf(ids[0] ?? ''), 'F', 'text');

  const { beat: hear } = withoutClock();
  const heard = await Promise.all(ids.map((id) => hear(id, whose)));

  expect(heard.map((each) => each?.session.state)).toEqual(['active', 'active']);
});

test('with packing off no heartbeat keeps a session packed: a version that a rollback brings does not find it', async () => {
  const session = newSession();
  const { gameSessionId: id } = session;
  await packed.update(id, () => session, pcId);

  expect(await asJson.beat(id, whose)).toBeUndefined();
  await asJson.updateByBeat(id, ({ record, nowMs }) => record && beat(record, nowMs, limits));

  const known = await redis.hgetall(keyOf(id));
  expect(Object.keys(known).toSorted()).toEqual(['json', 'owner', 'version']);
  expect(JSON.parse(known['json'] ?? '')).toMatchObject({ version: 2, pc_id: pcId });
});

test('where a version that knows no packed records wrote JSON into one, the JSON counts: no heartbeat renews what stands beside it', async () => {
  const session = newSession();
  const { gameSessionId: id } = session;
  await packed.update(id, () => session, pcId);
  const newer = { ...session, version: 7, state: 'charge_exhausted' };
  await redis.hset(keyOf(id), { version: 7, json: JSON.stringify(toWire(newer)), owner: pcId });

  expect(await packed.beat(id, whose)).toBeUndefined();
  expect((await packed.read(id)).record).toEqual(newer);

  await packed.updateByBeat(id, ({ record, nowMs }) => record && beat(record, nowMs, limits));
  expect(await redis.hmget(keyOf(id), 'json', 's', 'V', 'version')).toEqual([
    null,
    'charge_exhausted',
    '8',
    null,
  ]);
});

test('sessions of both forms are counted together', async () => {
  for (const writer of [packed, asJson]) {
    const session = newSession();
    await writer.update(session.gameSessionId, () => session, pcId);
  }
  const told: Tallied[][] = [];
  const { sets, fields } = sessionTally(createMetrics('test'), { games: () => [] });
  const log = createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined);
  const tally = createTally({
    ...{ redis, log, prefix: sessionsPrefix, sets, fields },
    told: (each) => void told.push([...each]),
  });
  await tally.start(() => undefined);

  await eventually(
    async () => told.length,
    (times) => times > 0,
  );
  await tally.stop();

  expect(told[0]).toEqual([{ values: ['active', 'starfall'], count: 2 }]);
});

test('a packed record of a live session, with its trace and a long user id, takes less than 400 bytes: Redis keeps it in one piece', async () => {
  const providerUserId = 'u'.repeat(42);
  const traceparent = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
  const session = { ...newSession(), providerUserId, traceparent };
  const { gameSessionId: id } = session;
  await packed.update(id, () => session, pcId);
  expect(await withoutClock().beat(id, { ...whose, providerUserId })).toBeDefined();

  expect(await redis.object('ENCODING', keyOf(id))).toBe('listpack');
  expect(await redis.memory('USAGE', keyOf(id))).toBeLessThan(400);
});

test('Redis forgets a consumed token by itself after a day, and no sweeper asks for it (D-04, D-57)', async () => {
  const otts = redisOtts(redis, limits, { packs: true });
  const tokenHash = randomBytes(32).toString('hex');
  const request = {
    ...{ ottRequestId: randomUUID(), tokenHash, replyKey: 'AAAA', cafeId: 'cafe-1', pcId, isPcCafe: true },
    ...{ launcherSessionId: randomUUID(), gameId: 'starfall', traceparent: null },
  };
  await otts.update(tokenHash, ({ nowMs }) => mint(request, nowMs, limits));
  const key = `gsb:ott:{${tokenHash.charAt(0)}}`;
  expect(await redis.zcard(`${key}:deadlines`)).toBe(1);

  await otts.update(tokenHash, ({ record }) => {
    const held = { gameSessionId: gameSessionIdFor(randomUUID(), pcId), presentationId: randomUUID() };
    const claim = { ...held, providerUserId: 'u1', claimedAtMs: 1, presentedEventId: null, deadlineMs: null };
    return record && advance(record, 'claim', limits, { ...claim, outagePolicy: 'continue' });
  });
  await otts.update(tokenHash, ({ record }) => record && advance(record, 'consume', limits));

  expect(await redis.zcard(`${key}:deadlines`)).toBe(0);
  const leftMs = await redis.pttl(`${key}:record:${tokenHash}`);
  expect(leftMs).toBeGreaterThan(86_300_000);
  expect(leftMs).toBeLessThanOrEqual(86_400_000);
  expect((await otts.read(tokenHash)).record?.state).toBe('consumed');
});

const damage: [what: string, (key: string) => Promise<unknown>][] = [
  ['text that is no hash', (key) => redis.del(key).then(() => redis.set(key, 'text'))],
  ['a hash whose JSON is none', (key) => redis.hset(key, 'json', '{')],
  ['a packed record without its last sign of life', (key) => redis.hdel(key, 'h')],
];
test.each(damage)(
  '%s fails that record alone: others of the same moment are read, written and heard',
  async (_, spoil) => {
    const sessions = Array.from({ length: 5 }, (_, at) => ({
      ...newSession(),
      pcId: `pc_3${at}${pcId.slice(5)}`,
    }));
    for (const session of sessions) await packed.update(session.gameSessionId, () => session, session.pcId);
    const [broken, ...others] = sessions.map(({ gameSessionId }) => gameSessionId) as [string, ...string[]];
    await spoil(keyOf(broken));
    const { beat: hear } = withoutClock();
    const beats = (ids: readonly string[]) => ids.map((id) => hear(id, whose));
    const updates = (ids: readonly string[]) =>
      ids.map((id) => packed.update(id, ({ record, nowMs }) => record && beat(record, nowMs, limits)));

    const heard = await Promise.all(beats([broken, ...others]));
    const written = await Promise.allSettled(updates([broken, ...others]));

    expect(heard.map((each) => each?.session.state)).toEqual([undefined, ...others.map(() => 'active')]);
    expect(written.map(({ status }) => status)).toEqual(['rejected', ...others.map(() => 'fulfilled')]);
    const [refused] = written as [PromiseRejectedResult];
    expect(refused.reason).not.toBeInstanceOf(Refusal);
  },
);

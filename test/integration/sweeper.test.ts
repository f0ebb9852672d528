import { randomBytes, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { specLimits } from '#libs/kernel/limits.ts';
import { gameSessionIdFor, shards } from '#libs/kernel/shards.ts';
import { guardState } from '#libs/records/mass-expiry-guard.ts';
import { createSweeper } from '#libs/records/sweeper.ts';
import { agreeToExpiry, suspendExpiries } from '#libs/records/suspend-expiries.ts';
import { redisSessions, sessionsPrefix } from '../../services/game-session/adapters/redis-sessions.ts';
import { begin } from '../../services/game-session/core/session.ts';
import type { Ports } from '../../services/game-session/ports.ts';
import { handleDeadline } from '../../services/game-session/usecases/handle-deadline.ts';
import { eventually } from '../support/eventually.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 8 });
beforeEach(() => redis.flushdb());
afterAll(async () => {
  await redis.flushdb();
  redis.disconnect();
});

const windowMs = (specLimits.sessionExpirySec + specLimits.sessionExpirySlackSec) * 1000;
const heartbeatMs = specLimits.heartbeatIntervalSec * 1000;
/** For so long a mass expiry is held back (D-25). */
const longestMs = windowMs + heartbeatMs + heartbeatMs / 2;
/** A shard releases the next one so much later. */
const releasePauseMs = 320;
const key = (shard: string, name: string) => `gsb:game-session:{${shard}}:${name}`;

/** A session in shard 5 unless it says another one, last seen so long ago. */
const silent = async (shard = '5', forMs = 600_000): Promise<string> => {
  const pcId = `pc_${shard}${randomBytes(16).toString('hex').slice(1)}`;
  const gameSessionId = gameSessionIdFor(randomUUID(), pcId);
  const order = {
    ...{ gameSessionId, pcId, presentationId: randomUUID(), tokenHash: 'a'.repeat(64), cafeId: 'cafe-1' },
    ...{ gameId: 'starfall', providerUserId: 'u1', isPcCafe: true, launcherSessionId: randomUUID() },
    startedAtMs: Date.now() - forMs,
  };
  const session = begin({ order, pending: false, remainingSec: 1 }, specLimits);
  await redisSessions(redis, specLimits, { packs: true }).update(gameSessionId, () => session, pcId);
  return gameSessionId;
};

describe('a sweeper whose first records cannot be handled', () => {
  test('reaches those behind them: the unreadable are postponed and counted, ids without a record removed', async () => {
    const sessions = redisSessions(redis, specLimits, { packs: true });
    const unreadable = Array.from({ length: 6 }, () => `gs_5${randomUUID().slice(1)}`);
    const orphans = Array.from({ length: 6 }, () => `gs_5${randomUUID().slice(1)}`);
    for (const id of unreadable) {
      await redis.hset(key('5', `record:${id}`), 'version', 1, 'json', '{"nonsense":1}', 'owner', 'pc_5');
      await redis.zadd(key('5', 'deadlines'), 1, id);
    }
    for (const id of orphans) await redis.zadd(key('5', 'expiries'), 2, id);
    const good = await silent();
    let counted = 0;
    const sweeper = createSweeper({
      records: sessions,
      handle: handleDeadline({
        sessions,
        limits: specLimits,
        publish: async () => undefined,
      } as unknown as Ports),
      log: { info: () => undefined, warn: () => undefined },
      metrics: {
        counter: (name: string) => ({
          inc: () => (counted += name === 'gsb_sweeper_postponed_records_total' ? 1 : 0),
        }),
        gauge: () => ({ setToCurrentTime: () => undefined }),
      },
    } as never);

    await sweeper.start(() => undefined);
    const state = async () => (await sessions.read(good)).record?.state;
    expect(await eventually(state, (seen) => seen === 'ending', 15_000)).toBe('ending');
    const left = () => redis.zrange(key('5', 'expiries'), 0, '-1');
    expect(await eventually(left, (ids) => ids.length === 0, 15_000)).toEqual([]);
    await sweeper.stop();

    expect(await redis.zcount(key('5', 'deadlines'), Date.now(), '+inf')).toBe(unreadable.length + 1);
    expect(counted).toBeGreaterThanOrEqual(unreadable.length + orphans.length);
  }, 40_000);
});

test('replicas that sweep a thousand silent sessions at once seldom have the same ones in hand', async () => {
  const sessions = redisSessions(redis, specLimits, { packs: true });
  await Promise.all(Array.from({ length: 1_000 }, () => silent()));

  const sweeps = await Promise.all(Array.from({ length: 50 }, () => sessions.due(4)));

  expect(sweeps.map(({ length }) => length)).toEqual(sweeps.map(() => 4));
  // 200 draws of 1,000 have about 180 different ones; the first four each time would be four.
  expect(new Set(sweeps.flat()).size).toBeGreaterThan(100);
});

test('while an operator agrees to a mass expiry, what is due beside it waits until no more than a batch is left', async () => {
  const sessions = redisSessions(redis, specLimits, { packs: true });
  const ending = await silent();
  await sessions.over.due(ending);
  await redis.zadd(key('5', 'deadlines'), 1, ending);
  const expiring = await Promise.all(Array.from({ length: 6 }, () => silent()));
  await agreeToExpiry(redis, sessionsPrefix);

  const first = await sessions.due(4, 6);
  await Promise.all(first.slice(2).map(sessions.over.due));
  const second = await sessions.due(4, 6);

  expect(new Set(first)).toEqual(new Set(expiring));
  expect(new Set(second)).toEqual(new Set([ending, ...first.slice(0, 2)]));
});

test('an agreement is not taken back by a sweep that asked before it (D-25)', async () => {
  await suspendExpiries({ redis, prefix: sessionsPrefix }, 'suspended', 60_000);
  await agreeToExpiry(redis, sessionsPrefix);

  await suspendExpiries({ redis, prefix: sessionsPrefix }, 'suspended', 60_000);

  expect(await redis.hget(key('5', 'watch'), 'suspended')).toBeNull();
});

describe('the mass-expiry guard does not hold for ever (D-25)', () => {
  const guarded = () => redisSessions(redis, specLimits, { packs: true, massExpiryGuard: guardState });
  const heldFor = (ms: number) =>
    Promise.all(shards.map((shard) => redis.hset(key(shard, 'watch'), 'held', Date.now() - ms)));
  /** The instant at which each shard released one, in ms since the epoch. */
  const releases = async (): Promise<number[]> =>
    (await Promise.all(shards.map((shard) => redis.hget(key(shard, 'watch'), 'released')))).map(Number);
  const seat = () => Promise.all(Array.from({ length: 60 }, (_, at) => silent(shards[at % shards.length])));

  test('it notes since when it holds, and nothing is due', async () => {
    await seat();

    expect(await guarded().due(4)).toEqual([]);
    expect(await guarded().due(4)).toEqual([]);

    const held = await redis.hget(key('5', 'watch'), 'held');
    expect(Math.abs(Date.now() - Number(held))).toBeLessThan(10_000);
  });

  test('after a whole window in which all was well, one of each shard is due, and none again before the pause', async () => {
    await seat();
    await guarded().due(4);
    await heldFor(longestMs);

    const first = await guarded().due(4);
    const before = await releases();
    const second = await guarded().due(4);
    const after = await releases();
    const pauses = after.map((ms, at) => ms - before[at]!).filter((ms) => ms > 0);

    expect(first).toHaveLength(shards.length);
    expect(second).toHaveLength(pauses.length);
    expect(pauses.filter((ms) => ms < releasePauseMs)).toEqual([]);
  });

  test('an outage of ours begins the window anew', async () => {
    await seat();
    await guarded().due(4);
    await heldFor(longestMs);
    await Promise.all(shards.map((shard) => redis.hset(key(shard, 'watch'), 'swept', Date.now() - 31_000)));

    expect(await guarded().due(4)).toEqual([]);
  });

  test('in an outage in front of us a sweep sees only a few that are due, but that half of all are late: nobody is due', async () => {
    const { heartbeatIntervalSec } = specLimits;
    const beats = Array.from({ length: 120 }, (_, at) => (at * heartbeatIntervalSec * 1000) / 120);
    await Promise.all(beats.map((ms, at) => silent(shards[at % shards.length], windowMs + 500 - ms)));

    expect(await guarded().due(4)).toEqual([]);
  });

  test('while heartbeats come in time, those of them that were due before are', async () => {
    const beats = Array.from({ length: 120 }, (_, at) => at * 1_000);
    await Promise.all(beats.map((ms, at) => silent(shards[at % shards.length], ms)));
    const gone = await silent();

    expect(await guarded().due(4)).toEqual([gone]);
  });

  test('fewer are overdue: what was held is forgotten, and everybody is due', async () => {
    await Promise.all(Array.from({ length: 3 }, () => silent()));
    await heldFor(1_000);

    expect(await guarded().due(4)).toHaveLength(3);
    expect(await redis.hget(key('5', 'watch'), 'held')).toBeNull();
  });
});

import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { createCommits } from '#libs/records/commit-changes.ts';
import { createServerClocks } from '#libs/records/server-clock.ts';
import { shardKey } from '#libs/records/shard-key.ts';

interface Visit {
  readonly id: string;
  readonly version: number;
  readonly deadlineAtMs: number;
}

const prefix = `gsb-test:supposed:${randomUUID()}`;
const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 2 });
afterAll(async () => {
  const keys = await redis.keys(`${prefix}*`);
  if (keys.length > 0) await redis.del(keys);
  redis.disconnect();
});

const store: Parameters<typeof createCommits<Visit>>[0] = {
  ...{ redis, prefix, key: shardKey(prefix), packs: false, amnestyMs: 0 },
  ...{ idOf: ({ id }) => id, ownerOf: () => 'pc-1', shardOf: () => '7', shardOfOwner: () => '7' },
  ...{ parse: (wire) => wire as Visit, told: () => ({}) },
  packing: { pack: () => [], unpack: () => ({}) },
};
const learnt: number[] = [];
const commit = createCommits<Visit>(store, { learn: (_, nowMs) => void learnt.push(nowMs) });
const serverMs = async (): Promise<number> => {
  const [sec, micros] = await redis.time();
  return Number(sec) * 1000 + Math.floor(Number(micros) / 1000);
};

test.each([
  ['just before it is written', -100, true],
  ['longer ago than a command may take', -600, false],
  ['in the future of the server’s clock', 5_000, false],
])('what was decided without a read for an instant %s (D-66)', async (_, awayMs, isWritten) => {
  const after = { id: randomUUID(), version: 1, deadlineAtMs: (await serverMs()) + 60_000 };

  const supposedAtMs = (await serverMs()) + awayMs;
  const { nowMs, committed } = await commit([{ before: undefined, after, supposedAtMs }]);

  expect([committed, learnt.at(-1)]).toEqual([isWritten, nowMs]);
  expect(nowMs).toBeGreaterThanOrEqual(supposedAtMs - awayMs);
  expect(await redis.exists(`${prefix}:{7}:record:${after.id}`)).toBe(isWritten ? 1 : 0);
});

test('the instant on a server is known by its last answer, and is never later than it is there', () => {
  let nowMs = 1_000.5;
  const clocks = createServerClocks(() => nowMs);
  expect(clocks.earliestAt('7')).toBeUndefined();

  clocks.learn('7', 1_700_000_000_000);
  nowMs += 10.9;

  expect([clocks.earliestAt('7'), clocks.earliestAt('7', nowMs - 20)]).toEqual([
    1_700_000_000_010, 1_699_999_999_990,
  ]);
  expect(clocks.earliestAt('8')).toBeUndefined();
});

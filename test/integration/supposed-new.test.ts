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

const commit = createCommits<Visit>({
  ...{ redis, prefix, key: shardKey(prefix), packs: false, amnestyMs: 0 },
  ...{ idOf: ({ id }) => id, ownerOf: () => 'pc-1', shardOf: () => '7', shardOfOwner: () => '7' },
  ...{ parse: (wire) => wire as Visit, told: () => ({}) },
  packing: { pack: () => [], unpack: () => ({}) },
});
const serverMs = async (): Promise<number> => {
  const [sec, micros] = await redis.time();
  return Number(sec) * 1000 + Math.floor(Number(micros) / 1000);
};

test.each([
  ['just before it is written', -100, true],
  ['longer ago than a command may take', -2_000, false],
  ['in the future of the server’s clock', 2_000, false],
])('what was decided without a read for an instant %s (D-66)', async (_, awayMs, isWritten) => {
  const after = { id: randomUUID(), version: 1, deadlineAtMs: (await serverMs()) + 60_000 };

  const supposedAtMs = (await serverMs()) + awayMs;
  const committed = await commit([{ before: undefined, after, supposedAtMs }]);

  expect(committed).toBe(isWritten);
  expect(await redis.exists(`${prefix}:{7}:record:${after.id}`)).toBe(isWritten ? 1 : 0);
});

test('the instant now on a server is known within what its last answer took', () => {
  let nowMs = 1_000.5;
  const clocks = createServerClocks(() => nowMs);
  expect([clocks.earliestNow('7'), clocks.latestAt('7', nowMs)]).toEqual([undefined, undefined]);

  clocks.learn('7', 990, 1_700_000_000_000);
  nowMs += 10;

  expect(clocks.earliestNow('7')).toBe(1_700_000_000_010);
  expect(clocks.latestAt('7', nowMs)).toBe(1_700_000_000_021);
  expect(clocks.earliestNow('8')).toBeUndefined();
});

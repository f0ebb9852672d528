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
const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 15 });
afterAll(async () => {
  const keys = await redis.keys(`${prefix}*`);
  if (keys.length > 0) await redis.del(keys);
  redis.disconnect();
});

const store: Parameters<typeof createCommits<Visit>>[0] = {
  ...{ redis, prefix, key: shardKey(prefix), packs: false, amnestyMs: 0, heartbeatMs: 0 },
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

const supposedWithinMs = 500;

test.each([
  ['just before it is written', -100],
  ['longer ago than a command may take', -supposedWithinMs - 1],
  ['in the future of the server’s clock', 5_000],
])(
  'what was decided without a read is written only where the instant lies just before by the server’s clock (D-66): %s',
  async (_, awayMs) => {
    const after = { id: randomUUID(), version: 1, deadlineAtMs: (await serverMs()) + 60_000 };

    const supposedAtMs = (await serverMs()) + awayMs;
    const { nowMs, committed } = await commit([{ before: undefined, after, supposedAtMs }]);

    const passedMs = nowMs - supposedAtMs;
    expect(passedMs).toBeGreaterThanOrEqual(-awayMs);
    expect([passedMs, committed]).toEqual([passedMs, passedMs >= 0 && passedMs <= supposedWithinMs]);
    expect(await redis.exists(`${prefix}:{7}:record:${after.id}`)).toBe(committed === true ? 1 : 0);
    expect(learnt.at(-1)).toBe(nowMs);
  },
);

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

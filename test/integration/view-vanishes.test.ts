import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { shards } from '#libs/kernel/shards.ts';
import { createHotView } from '#libs/records/hot-view.ts';
import { createRecordStore } from '#libs/records/record-store.ts';
import { shardKey } from '#libs/records/shard-key.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { sessionForm } from '../../services/game-session/adapters/session-form.ts';
import type { Session } from '../../services/game-session/core/session.ts';
import { eventually } from '../support/eventually.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { lazyConnect: true });
const prefix = `test-${randomUUID()}`;
let rebuilt = 0;
const view = createHotView({
  ...{ redis, prefix, instance: 'test', live: 'expiries', amnestyMs: 0 },
  log: createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined),
  metrics: createMetrics('test'),
  rebuild: async () => {
    rebuilt += 1;
    return { follow: async () => undefined };
  },
});
const shardOf = () => '0';
const store = createRecordStore<Session>({
  ...{ redis, prefix, trust: view, ...sessionForm, packs: true, amnestyMs: 0 },
  ...{ shardOf, shardOfOwner: shardOf, idOf: () => 'none', ownerOf: () => 'nobody' },
});
const read = () => store.read('none').then(({ record }) => record ?? 'none', String);

afterAll(async () => {
  await view.stop();
  redis.disconnect();
});

test('a view that vanishes from a server that stays is noticed by the next command, and rebuilt (D-24)', async () => {
  await redis.connect();
  await view.start(() => undefined);
  const before = await read();

  await redis.del(...shards.map((shard) => shardKey(prefix)(shard, 'watch')));
  const [first, last] = [await read(), await eventually(read, (answer) => answer === 'none', 5_000)];

  expect([before, first, last]).toEqual(['none', expect.stringContaining('cannot answer right now'), 'none']);
  expect(rebuilt).toBe(2);
});

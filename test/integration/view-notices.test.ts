import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { shards } from '#libs/kernel/shards.ts';
import { createHotView } from '#libs/records/hot-view.ts';
import { shardKey } from '#libs/records/shard-key.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { operatorNotices } from '#libs/runtime/operator-notices.ts';
import { until } from '../support/eventually.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { lazyConnect: true });
beforeAll(() => redis.connect());
afterAll(() => redis.disconnect());

test.each([
  ['that is on the log', undefined, operatorNotices.viewRebuilt],
  ['of launchers, which no log has', operatorNotices.viewAdopted, operatorNotices.viewAdopted],
])(
  'a view %s comes back without a single record: an operator is told, though of its first beginning nothing is (D-24)',
  async (_, notice, expected) => {
    const prefix = `test-${randomUUID()}`;
    const told: [fields: unknown, text: string][] = [];
    const view = createHotView({
      ...{ redis, prefix, instance: 'test', live: 'expiries', amnestyMs: 0, notice },
      log: { warn: (fields: unknown, text: string) => told.push([fields, text]) },
      metrics: createMetrics('test'),
      rebuild: async () => ({ follow: async () => undefined }),
    } as never);
    await view.start(() => undefined);
    expect(told).toEqual([]);

    await redis.del(...shards.map((shard) => shardKey(prefix)(shard, 'watch')));
    view.lost();

    await until(() => told.length > 0, 'an operator is told');
    expect(told).toEqual([[expect.objectContaining({ count: 0 }), expected]]);
    await view.stop();
  },
);

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Refusal } from '#libs/contracts/errors.ts';
import { createHotView } from '#libs/records/hot-view.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { startRedis } from '../../deploy/local/redis.ts';
import { createRun } from '../../deploy/local/run.ts';
import { eventually } from '../support/eventually.ts';

const dir = mkdtempSync(join(tmpdir(), 'gsb-test-'));
const run = createRun(dir);
let url: string;
beforeAll(async () => {
  ({ url } = await startRedis({ dir, print: () => undefined, run }));
}, 30_000);
afterAll(async () => {
  await run.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** A process with a view; how often it rebuilt it, and how often it heard that Redis had one of an earlier time. */
const newProcess = async () => {
  const redis = new Redis(url, { lazyConnect: true });
  const seen = { rebuilt: 0, stale: 0 };
  const view = createHotView({
    ...{ redis, prefix: 'test', instance: 'one', live: 'expiries', amnestyMs: 0 },
    metrics: createMetrics('test'),
    log: createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined),
    rebuild: async () => {
      seen.rebuilt += 1;
      return { follow: async () => undefined };
    },
    onStale: async () => (seen.stale += 1),
  });
  const stop = async () => {
    await view.stop();
    redis.disconnect();
  };
  return { seen, redis, view, stop };
};

const startProcess = async () => {
  const process = await newProcess();
  await process.redis.connect();
  await process.view.start(() => undefined);
  return process;
};

const viewOf = (redis: Redis) => redis.hget('test:{0}:watch', 'view');

test('a primary that was away, and is one again before it heard what its successor wrote, is trusted no more than another server (D-24)', async () => {
  const before = await startProcess();
  const { redis } = before;
  const server = await viewOf(redis);
  expect(before.seen).toEqual({ rebuilt: 1, stale: 0 });

  // Its successor is out of reach; nothing of it is ever received.
  await redis.replicaof('127.0.0.1', 1);
  await redis.replicaof('NO', 'ONE');
  expect(await viewOf(redis)).toBe(server);
  await before.stop();
  const after = await startProcess();

  await eventually(
    () => viewOf(after.redis),
    (view) => view === server,
  );
  expect(after.seen).toEqual({ rebuilt: 1, stale: 1 });
  await after.stop();
});

test('until it has told since when it is a primary nothing is asked there, whatever is marked', async () => {
  const { view, redis, stop } = await newProcess();
  const info = redis.info.bind(redis);
  const asked = Promise.withResolvers<undefined>();
  redis.info = (async (section: 'replication') => {
    if (section === 'replication') await asked.promise;
    return info(section);
  }) as typeof redis.info;

  await redis.connect();
  const started = view.start(() => undefined);
  await eventually(
    async () => redis.status,
    (status) => status === 'ready',
  );
  await redis.ping();
  expect(() => view.server()).toThrow(Refusal);
  asked.resolve(undefined);
  await started;

  expect(view.server()).toMatch(/^[0-9a-f]{40}$/);
  await stop();
});

test('whoever connects to the primary that it was before finds the view as it is', async () => {
  const process = await startProcess();

  expect(process.seen.stale).toBe(0);
  await process.redis.hdel('test:{0}:watch', 'era');
  await process.stop();
  const afterAnUpgrade = await startProcess();

  expect(afterAnUpgrade.seen.stale).toBe(0);
  expect(await afterAnUpgrade.redis.hget('test:{0}:watch', 'era')).toMatch(/^(never:)?[0-9a-f]{40}$/);
  await afterAnUpgrade.stop();
});

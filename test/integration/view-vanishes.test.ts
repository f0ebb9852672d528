import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { shards } from '#libs/kernel/shards.ts';
import { createHotView } from '#libs/records/hot-view.ts';
import { createRecordStore } from '#libs/records/record-store.ts';
import { shardKey } from '#libs/records/shard-key.ts';
import type { SharedWork } from '#libs/records/shared-work.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { sessionForm } from '../../services/game-session/adapters/session-form.ts';
import type { Session } from '../../services/game-session/core/session.ts';
import { eventually } from '../support/eventually.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { lazyConnect: true });
const views: { stop(): Promise<void> }[] = [];

/** A view, and what a read of a record that is not there says; `rebuild` is called with the keys of the shards' marks. */
const viewThat = (rebuild: (marks: readonly string[], shared: SharedWork) => Promise<void>) => {
  const prefix = `test-${randomUUID()}`;
  const marks = shards.map((shard) => shardKey(prefix)(shard, 'watch'));
  const view = createHotView({
    ...{ redis, prefix, instance: 'test', live: 'expiries', amnestyMs: 0 },
    log: createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined),
    metrics: createMetrics('test'),
    rebuild: async (_, shared) => {
      await rebuild(marks, shared);
      return { follow: async () => undefined };
    },
  });
  views.push(view);
  const shardOf = () => '0';
  const store = createRecordStore<Session>({
    ...{ redis, prefix, trust: view, ...sessionForm, packs: true, amnestyMs: 0, heartbeatMs: 0 },
    ...{ shardOf, shardOfOwner: shardOf, idOf: () => 'none', ownerOf: () => 'nobody' },
  });
  return { view, marks, read: () => store.read('none').then(({ record }) => record ?? 'none', String) };
};

beforeAll(() => redis.connect());
afterAll(async () => {
  await Promise.all(views.map((view) => view.stop()));
  redis.disconnect();
});

test('a view that vanishes from a server that stays is noticed by the next command, and rebuilt (D-24)', async () => {
  let rebuilt = 0;
  const { view, marks, read } = viewThat(async () => void (rebuilt += 1));
  await view.start(() => undefined);
  const before = await read();

  await redis.del(...marks);
  const [first, last] = [await read(), await eventually(read, (answer) => answer === 'none', 5_000)];

  expect([before, first, last]).toEqual(['none', expect.stringContaining('cannot answer right now'), 'none']);
  expect(rebuilt).toBe(2);
});

test.each([
  ['one shard', 1],
  ['every shard', shards.length],
])(
  '%s that is emptied while the view is rebuilt is rebuilt again, though the list of what is done stays (D-24)',
  async (_, count) => {
    const restored: string[] = [];
    const { view, read } = viewThat(async (marks, shared) => {
      await shared.each(['a part'], async (part) => {
        restored.push(part);
        return {};
      });
      if (restored.length === 1) await redis.del(...marks.slice(0, count));
    });

    await view.start(() => undefined);

    expect(await eventually(read, (answer) => answer === 'none', 5_000)).toBe('none');
    expect(restored).toEqual(['a part', 'a part']);
  },
);

test('a rebuild without parts in which a shard is emptied is done again (D-24)', async () => {
  let rebuilt = 0;
  const { view, read } = viewThat(async (marks) => {
    rebuilt += 1;
    if (rebuilt === 1) await redis.del(...marks);
  });

  await view.start(() => undefined);

  expect(await eventually(read, (answer) => answer === 'none', 5_000)).toBe('none');
  expect(rebuilt).toBe(2);
});

import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { createHotView } from '#libs/records/hot-view.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { eventually } from '../support/eventually.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { lazyConnect: true });
const view = createHotView({
  redis,
  prefix: `test-${randomUUID()}`,
  instance: 'test',
  amnestyMs: 0,
  rebuild: async () => 0,
  log: createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined),
  metrics: createMetrics('test'),
});

const serverOf = () => {
  try {
    return view.server();
  } catch {
    return undefined;
  }
};

afterAll(async () => {
  await view.stop();
  redis.disconnect();
});

test('a server that told its run id too late once is asked again: the view does not stay unavailable', async () => {
  await redis.connect();
  const info = redis.info.bind(redis);
  let asked = 0;
  redis.info = (async (section: 'server') => {
    asked += 1;
    if (asked <= 2) throw new Error('Command timed out');
    return info(section);
  }) as typeof redis.info;
  await view.start(() => undefined);

  expect(
    await eventually(
      async () => serverOf(),
      (server) => server !== undefined,
    ),
  ).toMatch(/^[0-9a-f]{40}$/);
});

import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import { redisPendingEvents } from '../../services/game-session/adapters/redis-pending-events.ts';
import { publishPending } from '../../services/game-session/usecases/publish-pending.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { lazyConnect: true, db: 15 });
const replica = () => redisPendingEvents(redis, randomUUID(), () => 1);
const pcId = `pc_7${'0'.repeat(31)}`;
/** More than this test ever has pending. */
const all = 1_000;

beforeAll(() => redis.connect());
afterAll(() => redis.disconnect());

test('a pending event is published by one replica; what it could not publish is left to it alone for a while', async () => {
  const ids = Array.from({ length: 30 }, () => gameSessionIdFor(randomUUID(), pcId));
  const [one, other] = [replica(), replica()];
  const taken = async (by: typeof one, batchSize: number) =>
    (await by.oldest(batchSize)).filter(({ gameSessionId }) => ids.includes(gameSessionId));
  for (const id of ids) await one.add(id);

  const mine = await taken(one, 10);
  const others = await taken(other, all);

  expect(mine).toHaveLength(10);
  expect(others).toHaveLength(20);
  expect(new Set([...mine, ...others].map(({ gameSessionId }) => gameSessionId)).size).toBe(30);
  expect(await taken(one, all)).toEqual(mine);
  for (const event of [...mine, ...others]) await one.remove(event);
  expect(await taken(one, all)).toEqual([]);
});

test('sessions whose records cannot be read do not hold up the others', async () => {
  let now = 1;
  const pending = redisPendingEvents(redis, randomUUID(), () => (now += 1));
  const ids = Array.from({ length: 25 }, () => gameSessionIdFor(randomUUID(), pcId));
  const broken = new Set(ids.slice(0, 20));
  const read: string[] = [];
  const sessions = {
    read: async (id: string) => {
      read.push(id);
      if (broken.has(id)) throw new Error('no session');
      return { record: undefined };
    },
  };
  for (const id of ids) await pending.add(id);
  const publishAll = publishPending({
    pending,
    sessions,
    publish: async () => undefined,
  } as unknown as Parameters<typeof publishPending>[0]);

  await publishAll().catch(() => undefined);
  await publishAll().catch(() => undefined);

  expect(ids.slice(20).every((id) => read.includes(id))).toBe(true);
  for (const gameSessionId of ids) await redis.zrem('gsb:game-session:{7}:unsaid', gameSessionId);
});

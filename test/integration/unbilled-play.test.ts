import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { redisUnbilledPlay } from '../../services/ott/adapters/redis-unbilled-play.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 15 });
afterAll(() => redis.disconnect());
const unbilled = redisUnbilledPlay(redis);
const startedAtMs = 1_700_000_000_000;

test('the seconds of a cafe are those of all its sessions that the partner has not answered, each counted once (D-26)', async () => {
  const cafeId = `cafe-${randomUUID()}`;

  await unbilled.begin(cafeId, 'gs_1', startedAtMs);
  await unbilled.begin(cafeId, 'gs_2', startedAtMs + 60_000);
  await unbilled.begin(cafeId, 'gs_2', startedAtMs + 60_000);

  expect(await unbilled.seconds(cafeId, startedAtMs + 100_000)).toBe(140);
  await unbilled.end(cafeId, 'gs_1');
  await unbilled.end(cafeId, 'gs_1');
  expect(await unbilled.seconds(cafeId, startedAtMs + 100_000)).toBe(40);
  await unbilled.end(cafeId, 'gs_2');
  expect(await unbilled.seconds(cafeId, startedAtMs + 100_000)).toBe(0);
  expect(await unbilled.seconds(`cafe-${randomUUID()}`, startedAtMs)).toBe(0);
});

test('a session that is over counts with its own seconds until the partner has answered, however often that is said (D-26)', async () => {
  const cafeId = `cafe-${randomUUID()}`;
  await unbilled.begin(cafeId, 'gs_1', startedAtMs);
  await unbilled.begin(cafeId, 'gs_2', startedAtMs);

  await unbilled.hold(cafeId, 'gs_1', 30);
  await unbilled.hold(cafeId, 'gs_1', 30);
  await unbilled.begin(cafeId, 'gs_1', startedAtMs);
  await unbilled.hold(cafeId, 'gs_of_a_confirmed_start', 30);

  expect(await unbilled.seconds(cafeId, startedAtMs + 100_000)).toBe(130);
  await unbilled.end(cafeId, 'gs_2');
  expect(await unbilled.seconds(cafeId, startedAtMs + 200_000)).toBe(30);
  await unbilled.end(cafeId, 'gs_1');
  expect(await unbilled.seconds(cafeId, startedAtMs + 200_000)).toBe(0);
});

/** The commands that a client sends, by name. */
const commandsOf = (client: Redis): string[] => {
  const sent: string[] = [];
  const send = client.sendCommand.bind(client);
  client.sendCommand = (command, stream) => {
    sent.push(command.name);
    return send(command, stream);
  };
  return sent;
};

test('they are told as quickly for ten thousand sessions as for one', async () => {
  const cafeId = `cafe-${randomUUID()}`;
  const ids = Array.from({ length: 10_000 }, () => `gs_${randomUUID()}`);
  await Promise.all(ids.map((id) => unbilled.begin(cafeId, id, startedAtMs)));

  const sent = commandsOf(redis);
  expect(await unbilled.seconds(cafeId, startedAtMs + 1_000)).toBe(10_000);

  expect(sent).toEqual(['hmget']);
});

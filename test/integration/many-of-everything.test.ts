import { Client } from 'pg';
import { topics } from '#libs/contracts/topics.ts';
import type { TopicName } from '#libs/contracts/topics.ts';
import { withLogReader } from '#libs/kafka/replay/log-reader.ts';
import { commitProblem } from '#libs/postgres/commit-reach.ts';
import { startOf } from '../../deploy/local/processes.ts';
import { runCommand } from '../../deploy/local/faults/commands.ts';
import { eventually, patiently, until } from '../support/eventually.ts';
import { shortLimits, useManyStack } from '../support/own-stack.ts';
import { kafkaOf } from '../support/offsets.ts';
import { askSettlement } from '../support/settlement.ts';
import { beat } from '../support/seat-players.ts';
import { billingOf, newPlayer } from '../support/suite-stack.ts';

/** Silence outlasts every fault here. */
const own = useManyStack({ ...shortLimits, SESSION_EXPIRY_SEC: '60', LAUNCHER_SILENCE_SEC: '60' });
const fault = (line: string) => runCommand(own.stack.faults, line);
const replicas = ['game-session-1', 'game-session-2'];
/** On both servers: who was too slow for the Sentinels is no primary any more, and may not know it yet. */
const onStores = async (line: (store: string) => string): Promise<void> => {
  for (const store of ['redis-1', 'redis-2']) await fault(line(store));
};

/** Starts a server of Redis again, and waits until it follows: before that there is nobody to take over. */
const startAgain = async (name: string): Promise<void> => {
  await fault(`start ${name}`);
  await until(() => own.stack.redis.couldFailOver().catch(() => false), `${name} follows`, 30_000);
};

type Player = Awaited<ReturnType<typeof newPlayer>>;
const newPlayers = (count: number) =>
  Promise.all(Array.from({ length: count }, () => newPlayer(own.stack.facts())));

/** What a heartbeat was answered, and how long that took, in ms. */
const beaten = async (player: Player) => {
  const answer = await beat(player);
  return { result: answer.ok ? answer.data.result : answer.code, tookMs: answer.tookMs };
};
const isAnsweredAgain = (player: Player) =>
  eventually(
    () => beaten(player).catch(() => ({ result: 'NOTHING', tookMs: 0 })),
    ({ result }) => result === 'OK',
    20_000,
  );

const requestsOf = async (ops: string): Promise<number> => {
  const metrics = await (await fetch(`${ops}/metrics`)).text();
  const counts = metrics.matchAll(/^http_server_request_duration_seconds_count\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
};

test('whole visits pass through the proxies, and both replicas of the services have their part', async () => {
  const { processes } = own.stack.facts();
  const players = await newPlayers(4);
  expect(await Promise.all(players.map(beaten))).toMatchObject(players.map(() => ({ result: 'OK' })));

  const ends = await Promise.all(players.map(({ server, id }) => server.end(id, 1)));

  expect(ends).toMatchObject(ends.map(() => ({ ok: true, data: { result: 'SUCCESS' } })));
  await eventually(
    () => Promise.all(players.map(async ({ id }) => (await billingOf(own.stack.facts(), id))?.status)),
    (all) => all.every((status) => status === 'stopped'),
  );
  const edges = processes.filter(({ service }) => ['game-session', 'launcher-gateway'].includes(service));
  expect(processes).toHaveLength(10);
  expect(edges).toHaveLength(4);
  for (const { ops } of edges) expect(await requestsOf(ops)).toBeGreaterThan(0);
});

test('what three brokers hold of all topics is found at the first try, thirty times', async () => {
  const names = Object.keys(topics) as TopicName[];
  const reader = { kafka: kafkaOf(own.stack.facts()), topics: names };

  for (let tried = 0; tried < 30; tried += 1) {
    const ranges = await withLogReader(reader, (log) => log.rangesSince(0));
    expect(new Set(ranges.map(({ topic }) => topic))).toEqual(new Set(names));
  }
});

test('a store that is cut off from the services is answered with 503 at once, and with OK when it is back', async () => {
  const player = await newPlayer(own.stack.facts());

  for (const name of replicas) await onStores((store) => `cut ${store} for ${name}`);
  const cut = await beaten(player);
  await onStores((store) => `pass ${store}`);

  expect(cut).toMatchObject({ result: 'UNAVAILABLE' });
  await isAnsweredAgain(player);
});

test('a store that is black-holed for the services says nothing: 503 when the deadline of a command is over', async () => {
  const player = await newPlayer(own.stack.facts());
  const before = await own.stack.redis.primary();

  for (const name of replicas) await onStores((store) => `blackhole ${store} for ${name}`);
  const swallowed = await beaten(player);
  await onStores((store) => `pass ${store}`);

  expect(swallowed).toMatchObject({ result: 'UNAVAILABLE' });
  expect(swallowed.tookMs).toBeGreaterThan(400);
  await isAnsweredAgain(player);
  // The Sentinels, whose links passed, saw nothing of it.
  expect(await own.stack.redis.primary()).toEqual(before);
});

test('the Sentinels replace a primary that dies, and a heartbeat is answered again', async () => {
  const player = await newPlayer(own.stack.facts());
  const before = await own.stack.redis.primary();

  await fault('kill redis-primary');
  await isAnsweredAgain(player);

  expect((await own.stack.redis.primary()).name).not.toBe(before.name);
  await startAgain(before.name);
}, 90_000);

test('a service that the Sentinels answer too late while they replace the primary finds it when they answer in time', async () => {
  const player = await patiently(() => newPlayer(own.stack.facts()));
  const before = await own.stack.redis.primary();
  const sentinels = [1, 2, 3].map((number) => own.stack.links.link(`sentinel-${number}`));
  // A round trip of 2 s is longer than the services wait for a Sentinel.
  for (const link of sentinels) for (const name of replicas) link.set({ mode: 'delay', ms: 1_000 }, name);

  await fault('kill redis-primary');
  await eventually(
    () => own.stack.redis.primary(),
    ({ name }) => name !== before.name,
    20_000,
  );
  for (const link of sentinels) link.set({ mode: 'pass' });

  await isAnsweredAgain(player);
  await startAgain(before.name);
}, 90_000);

test('whether a commit reaches the standby before it is answered is read from Postgres itself (D-38)', async () => {
  const client = new Client({ connectionString: own.stack.postgres.directUrl() });
  await client.connect();
  const name = async (standbys: string) => {
    await client.query(`alter system set synchronous_standby_names = '${standbys}'`);
    await client.query('select pg_reload_conf()');
  };
  const problem = () => commitProblem(client);
  expect(await problem()).toMatch('synchronous_standby_names names no standby');

  await name('*');
  await eventually(problem, (found) => found === '', 5_000);
  await client.query('set synchronous_commit to local');
  expect(await problem()).toMatch('synchronous_commit is local, and must be on');

  await name('');
  await eventually(problem, (found) => found !== '', 5_000);
  await client.end();
});

test('a standby that is promoted has the ledger, and the next session is written there', async () => {
  const before = own.stack.postgres.primary();

  await fault('promote');
  await fault('rejoin');

  const player = await newPlayer(own.stack.facts());
  await player.server.end(player.id, 1);
  await eventually(
    async () => (await askSettlement(own.stack.facts(), `sessions/${player.id}`)).status,
    (status) => status === 200,
  );
  expect(own.stack.postgres.primary()).not.toBe(before);
});

test('a service that is started with a shifted clock has that clock', async () => {
  if (!own.stack.faults.canSkew) return;
  await fault('skew launcher-gateway-1 +300s');

  const { ops } = own.stack.facts().processes.find(({ replica }) => replica === 'launcher-gateway-1')!;
  const { headers } = await fetch(`${ops}/health/ready`);

  const aheadSec = (Date.parse(headers.get('date') ?? '') - Date.now()) / 1000;
  expect(aheadSec).toBeGreaterThan(290);
  expect(aheadSec).toBeLessThan(310);
});

test('every process ends when the stack is stopped, one that was stopped by a signal too', async () => {
  await fault('stop settlement-2');
  const pids = own.pids();

  await own.stop();

  expect(pids.length).toBeGreaterThan(20);
  expect(pids.filter((pid) => startOf(pid) !== undefined)).toEqual([]);
});

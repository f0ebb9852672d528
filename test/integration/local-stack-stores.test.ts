import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { Client } from 'pg';
import { startKafka } from '../../deploy/local/kafka.ts';
import { startPostgres } from '../../deploy/local/postgres.ts';
import { startOf } from '../../deploy/local/processes.ts';
import { createRun } from '../../deploy/local/run.ts';
import { takeOver } from '../../deploy/local/run-file.ts';
import { inPostgres } from '../support/in-postgres.ts';
import { runSource, untilGone } from '../support/run-source.ts';

const dir = mkdtempSync(join(tmpdir(), 'gsb-stores-'));
const run = createRun(dir);
afterAll(async () => {
  await run.stop();
  rmSync(dir, { recursive: true, force: true });
});

test('a Kafka broker that was killed comes back on its port, with its topics', async () => {
  const kafka = await startKafka({ dir, run });
  const admin = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic: 'kept' }] });

  await kafka.kill();
  await kafka.restart();

  expect(await admin.listTopics()).toContain('kept');
  await admin.disconnect();
}, 60_000);

test('a Postgres that was killed comes back on its port, with its rows', async () => {
  const postgres = await startPostgres({ dir, run });
  const query = (text: string) => inPostgres(postgres.url, text);
  await query('create table kept (n int)');

  await postgres.kill();
  await postgres.restart();

  expect((await query('select * from kept')).rowCount).toBe(0);
});

test('a Postgres is stopped at once, whoever is still connected', async () => {
  const own = createRun(join(dir, 'in-use'));
  const { url } = await startPostgres({ dir: own.dir, run: own });
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();

  await own.stop(20_000);

  expect(readFileSync(own.logOf('postgres'), 'utf8')).toMatch(
    /fast shutdown[^]*database system is shut down/,
  );
});

test('what a killed run has left behind is ended by the next one, and only that', async () => {
  const left = join(dir, 'left');
  const hold = `
    import { createRun } from './deploy/local/run.ts';
    import { startRedis } from './deploy/local/redis.ts';
    const dir = ${JSON.stringify(left)};
    console.log((await startRedis({ dir, run: createRun(dir) })).pid);
    setInterval(() => undefined, 1000);`;
  const { child: holder, said } = runSource(hold);
  const redis = Number(await said);
  const whileAlive = await takeOver(left, () => undefined);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const path = join(left, 'run.json');
  const record = JSON.parse(readFileSync(path, 'utf8')) as { readonly children: readonly unknown[] };
  // A process that has a pid of a child by now; whoever stops before it has written a run of its own leaves it alone too.
  const bystander = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
  const reused = { name: 'reused', pid: bystander.pid, started: '1' };
  writeFileSync(path, JSON.stringify({ ...record, stopping: true, children: [...record.children, reused] }));
  expect(startOf(redis)).toBeDefined();

  const whenDead = await takeOver(left, () => undefined);

  expect([whileAlive, whenDead]).toEqual([holder.pid, undefined]);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ stopping: false, children: [] });
  expect(bystander.kill()).toBe(true);
  await untilGone(redis);
});

import { randomInt, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { connectKafka } from '#libs/kafka/connection.ts';
import { createPublisher } from '#libs/kafka/producer/publisher.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { runCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { caughtUp } from '../support/offsets.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { whileAway } from '../support/postgres-away.ts';

const seed = randomInt(1, 2 ** 31);
let publisher: ReturnType<typeof createPublisher>;
// Before the stack's own hook: the publisher stops while Kafka is still there.
afterAll(() => publisher.stop(), 30_000);
const own = useOwnStack();
const played = new Map<string, number>();
let writtenBefore = 0;

beforeAll(async () => {
  const log = createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined);
  const kafka = connectKafka({ brokers: own.stack.kafka.brokers, clientId: 'test', log });
  publisher = createPublisher({
    kafka,
    source: 'test',
    metrics: createMetrics('test'),
    log,
    clock: Date.now,
  });
  await publisher.start(() => undefined);
}, 60_000);

const endedAtMs = Date.now() - 60_000;
const session = (gameSessionId: string, playDurationSec: number) => ({
  ...{ version: 2, gameSessionId, state: 'ending' as const, cafeId: 'cafe-1', pcId: `pc_${'0'.repeat(32)}` },
  ...{ gameId: 'starfall', providerUserId: 'u1', isPcCafe: true, launcherSessionId: randomUUID() },
  ...{
    startedAtMs: endedAtMs - playDurationSec * 1000,
    lastSeenAtMs: endedAtMs,
    exhaustedAtMs: null,
    endedAtMs,
  },
  ...{ endReason: 'game_ended' as const, playDurationSec, clientPlayDurationSec: null, traceparent: null },
  ...{ partnerPlayDurationSec: null, deadlineAtMs: endedAtMs, reminders: 0 },
});

/** Publishes the end of `count` sessions, each twice, as a producer that retries may. */
const end = async (count: number): Promise<string[]> => {
  const ids = Array.from({ length: count }, () => `gs_${randomUUID()}`);
  for (const [at, id] of ids.entries()) played.set(id, (seed + at * 7919) % 5_000);
  const publish = (id: string) =>
    publisher.publish('game-session.ending', { session: session(id, played.get(id) ?? 0) });
  await Promise.all([...ids, ...ids].map(publish));
  return ids;
};

const connected = async (): Promise<Client> => {
  const client = new Client({ connectionString: own.stack.postgres.url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
};

const ledgerSums = async () => {
  const client = await connected();
  const { rows } = await client.query(
    'select count(*)::integer as sessions, coalesce(sum(play_duration_sec), 0)::integer as seconds from entries',
  );
  await client.end();
  return rows[0] as { sessions: number; seconds: number };
};
const expected = () => ({
  sessions: played.size,
  seconds: [...played.values()].reduce((sum, sec) => sum + sec, 0),
});
const allWritten = () =>
  eventually(
    () => ledgerSums().catch(() => undefined),
    (found) => found?.sessions === played.size,
    30_000,
  );

/**
 * Locks the table, so that the next insert waits inside Postgres until the lock is released: that of the next events, because nothing of the
 * ones before is delivered again any more.
 */
const lockEntries = async () => {
  await caughtUp(own.stack.facts(), 'settlement');
  const locker = await connected();
  await locker.query('begin');
  await locker.query('lock table entries in access exclusive mode');
  const watcher = await connected();
  const waiting = `select from pg_stat_activity where query like 'insert into entries%' and wait_event_type = 'Lock'`;
  return {
    insertWaits: async () => {
      await eventually(
        async () => (await watcher.query(waiting)).rowCount ?? 0,
        (count) => count > 0,
      );
      await watcher.end();
    },
    release: async () => {
      await locker.query('rollback');
      await locker.end();
    },
  };
};

const kill = (pid: number | undefined, signal: NodeJS.Signals) => process.kill(pid ?? Number.NaN, signal);

/** Lets the insert commit while Kafka is stopped, so that the offset cannot be committed after it. */
const insertCommits = async ({ release }: Awaited<ReturnType<typeof lockEntries>>) => {
  const written = async () => (await ledgerSums()).sessions;
  kill(own.stack.kafka.pid, 'SIGSTOP');
  await release();
  await eventually(written, (count) => count > writtenBefore);
};

test(`Postgres killed during an insert, before it commits: every session has one entry (I7, seed ${seed})`, async () => {
  const lock = await lockEntries();
  await end(300);
  await lock.insertWaits();

  await own.stack.postgres.kill();
  await own.stack.postgres.restart();

  expect(await allWritten()).toEqual(expected());
}, 60_000);

test('Postgres killed just after an insert has committed: every session has one entry (I7)', async () => {
  writtenBefore = (await ledgerSums()).sessions;
  const lock = await lockEntries();
  await end(300);
  await lock.insertWaits();
  await insertCommits(lock);

  await own.stack.postgres.kill();
  await own.stack.postgres.restart();
  kill(own.stack.kafka.pid, 'SIGCONT');
  await end(10);

  expect(await allWritten()).toEqual(expected());
}, 60_000);

test('settlement killed between its insert and its commit of the offset: every session has one entry (I7)', async () => {
  writtenBefore = (await ledgerSums()).sessions;
  const lock = await lockEntries();
  await end(300);
  await lock.insertWaits();
  await insertCommits(lock);

  const before = own.stack.service('settlement').pid();
  own.stack.service('settlement').kill('SIGKILL');
  kill(own.stack.kafka.pid, 'SIGCONT');
  await eventually(
    async () => own.stack.service('settlement').pid(),
    (pid) => pid !== before,
  );
  await end(10);

  expect(await allWritten()).toEqual(expected());
}, 60_000);

test.each([
  ['while others play', 30],
  ['though nobody plays any more', 0],
])(
  'a standby that is promoted without its last rows gets them from the log again %s (I7, D-38)',
  async (_, later) => {
    const ids = await end(20);
    expect(await allWritten()).toEqual(expected());
    const client = await connected();
    await client.query('drop table if exists positions_before');
    await client.query('create table positions_before as select * from log_positions');
    const lost = await end(30);
    expect(await allWritten()).toEqual(expected());

    // What was committed after the standby's last word is gone; the group's offsets are not.
    await client.query('begin');
    await client.query('alter table entries disable trigger entries_are_immutable');
    const { rowCount } = await client.query('delete from entries where game_session_id = any($1)', [lost]);
    await client.query('truncate log_positions');
    await client.query('insert into log_positions select * from positions_before');
    await client.query('alter table entries enable trigger entries_are_immutable');
    await client.query('commit');
    await client.end();
    expect([rowCount, ids.length]).toEqual([30, 20]);
    await end(later);

    expect(await allWritten()).toEqual(expected());
  },
  60_000,
);

test('a backup of the ledger that is put back gets from the log what was written after it (I7, D-38)', async () => {
  expect(await allWritten()).toEqual(expected());
  await whileAway(own.stack.postgres, (folder) => [['cp', '--archive', folder, `${folder}-backup`]]);
  await end(40);
  expect(await allWritten()).toEqual(expected());
  const before = await ledgerSums();

  await whileAway(own.stack.postgres, (folder) => [
    ['rm', '--recursive', folder],
    ['mv', `${folder}-backup`, folder],
  ]);
  await end(10);

  expect(before.sessions).toBe(played.size - 10);
  expect(await allWritten()).toEqual(expected());
}, 90_000);

test(`entries add up to the final play times, and a replay of the log is identical (I7, seed ${seed})`, async () => {
  const env = { DATABASE_URL: own.stack.postgres.url, KAFKA_BROKERS: own.stack.kafka.brokers.join(',') };
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Seoul' }).format(endedAtMs);
  expect(await allWritten()).toEqual(expected());

  const same = await runCommand('deploy/operations/replay.ts', ['--day', day], env);
  expect(same).toMatchObject({
    code: 0,
    out: `identical: ${day}, ${expected().sessions} sessions, ${expected().seconds} s on the log\n`,
  });
  expect(await ledgerSums()).toEqual(expected());

  const client = await connected();
  const [id] = played.keys();
  await client.query('alter table entries disable trigger entries_are_immutable');
  await client.query('update entries set play_duration_sec = 5001 where game_session_id = $1', [id]);
  await client.end();
  const forged = await runCommand('deploy/operations/replay.ts', ['--day', day], env);
  expect(forged.code).toBe(1);
  expect(forged.out).toContain(`${id} differs: ledger 5001 s, log ${played.get(id ?? '')} s`);
}, 60_000);

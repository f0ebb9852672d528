import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { lackingRights } from '#libs/postgres/await-rights.ts';
import { openConnection } from '#libs/postgres/dedicated-connection.ts';
import { closeDay } from '../../services/settlement/closing/close-day.ts';
import { postgresClosings } from '../../services/settlement/closing/postgres-closings.ts';
import { postgresLedger } from '../../services/settlement/ledger/postgres-ledger.ts';
import { postgresPositions } from '../../services/settlement/ledger/postgres-positions.ts';
import { postgresUserHashes } from '../../services/settlement/ledger/postgres-user-hashes.ts';
import { roles } from '../../services/settlement/roles.ts';
import type { RoleName } from '../../services/settlement/roles.ts';
import { postgresStatements } from '../../services/settlement/statements/postgres-statements.ts';
import { runCommand } from '../support/command.ts';
import { ownDatabase } from '../support/own-database.ts';
import type { OwnDatabase } from '../support/own-database.ts';
import { theStack } from '../support/suite-stack.ts';

const day = '2026-11-18';
const run = randomBytes(4).toString('hex');
const names = Object.keys(roles) as RoleName[];
const called = (role: RoleName | 'mighty' | 'heir' | 'scribe'): string => `test_${role}_${run}`;
const limits = { lockTimeoutMs: 5_000, statementTimeoutMs: 10_000 };

let database: OwnDatabase;
const as = {} as Record<RoleName, Client>;
const urlOf = (role: RoleName): string =>
  Object.assign(new URL(database.url), { username: called(role), password: run }).href;
const migrateWith = (writer: string, reader: string, closer: string) =>
  runCommand('services/settlement/migrate.ts', [], {
    ...{ DATABASE_URL: database.url, POSTGRES_WRITER_USERNAME: writer },
    ...{ POSTGRES_READER_USERNAME: reader, POSTGRES_CLOSER_USERNAME: closer },
  });

beforeAll(async () => {
  database = await ownDatabase();
  for (const role of names)
    await database.client.query(`create role ${called(role)} login password '${run}'`);
  await database.client.query(`create role ${called('mighty')} createrole`);
  await database.client.query(`create role ${called('heir')} in role current_user`);
  await database.client.query(`create role ${called('scribe')} in role pg_write_all_data`);
  const migrated = await migrateWith(called('writer'), called('reader'), called('closer'));
  expect(migrated).toMatchObject({ code: 0, err: '' });
  await database.seed(day, 20);
  for (const role of names) as[role] = new Client({ connectionString: urlOf(role) });
  await Promise.all(names.map((role) => as[role].connect()));
}, 60_000);
afterAll(async () => {
  await Promise.all(names.map((role) => as[role].end()));
  await database.drop(([...names, 'mighty', 'heir', 'scribe'] as const).map(called));
});

const command = (entry: string, args: string[], role: RoleName) =>
  runCommand(`deploy/operations/${entry}.ts`, ['--day', day, ...args], {
    DATABASE_URL: urlOf(role),
    KAFKA_BROKERS: process.env['KAFKA_BROKERS'] ?? '',
  });

describe('each role does its work (D-53)', () => {
  test('the writer writes entries, confirmations, positions and the secrets of players, twice without harm', async () => {
    const ledger = postgresLedger(as.writer);
    const hashUser = postgresUserHashes(as.writer, () => randomBytes(32));
    const positions = postgresPositions(as.writer);
    const endedAtMs = Date.parse(`${day}T03:00:00Z`);
    const userHash = await hashUser({ gameId: 'starfall', providerUserId: 'player-1' }, endedAtMs);
    const entry = {
      ...{
        gameSessionId: `gs_${randomUUID()}`,
        cafeId: 'cafe-1',
        pcId: `pc_${'0'.repeat(32)}`,
        gameId: 'starfall',
        userHash,
      },
      ...{ startedAtMs: endedAtMs - 60_000, endedAtMs, endReason: 'game_ended' as const },
      ...{ playDurationSec: 60, clientPlayDurationSec: null },
    };

    for (const _ of ['once', 'twice']) {
      await ledger.record([entry]);
      await ledger.confirm([{ gameSessionId: entry.gameSessionId, partnerPlayDurationSec: 60 }]);
    }
    await positions.advance({ topic: 't', partition: 0, from: 0, to: 5 }, false);

    expect(await positions.current()).toEqual([{ topic: 't', partition: 0, offset: 5 }]);
    expect(await postgresLedger(as.reader).find(entry.gameSessionId)).toMatchObject({ playDurationSec: 60 });
  });

  test('the reader reads statements, and previews an open day without writing one', async () => {
    const scope = { beginsAtMs: 0, endsAtMs: 4e12, uptoEntryNo: 1e9, uptoConfirmationNo: 1e9 };
    const page = { day, scope, closed: false, cafe: undefined, game: undefined, after: undefined, size: 5 };
    expect(await postgresStatements(as.reader).lines(page)).toHaveLength(5);

    const connection = await openConnection(urlOf('reader'), limits);
    // From its first temporary table on, a connection keeps prepared statements although another table hides theirs.
    await connection.command('create temp table first (x int)');
    const closings = postgresClosings(connection);
    const request = { day, timeZone: 'Asia/Seoul', commit: false };
    const preview = () =>
      closeDay({ closings, progress: () => undefined })(request, async (closing) => closing.sessions);
    const seen = [await preview(), await preview()];
    await connection.end();

    expect(seen).toEqual([21, 21]);
    expect((await database.client.query('select day from closings')).rows).toEqual([]);
  });

  test('a replay of the log needs no more than to read', async () => {
    const { code, err, out } = await command('replay', [], 'reader');

    // The log of the suite has none of the sessions that were written here.
    expect([code, err]).toEqual([1, expect.not.stringContaining('permission denied')]);
    expect(out).toContain('only in the ledger');
  });

  test('the closer closes a day, and then reads it', async () => {
    const first = await command('close-day', ['--without-partner'], 'closer');
    const again = await command('close-day', ['--without-partner'], 'closer');

    expect([first.code, again.code, again.out]).toEqual([0, 0, first.out]);
  });
});

const anEntry = "insert into entries values ('gs_x', 'c', 'p', 'g', 'u', now(), now(), 'r', 1)";
/** Below the number that a closing ended with, they would be a part of the day that it closed. */
const numbered = [
  `insert into entries (game_session_id, cafe_id, pc_id, game_id, user_hash, started_at, ended_at, end_reason, play_duration_sec, entry_no)
   overriding system value values ('gs_x', 'c', 'p', 'g', 'u', now(), now(), 'r', 1, 0)`,
  `insert into confirmations (game_session_id, partner_play_duration_sec, confirmation_no)
   overriding system value values ('gs_x', 1, 0)`,
];
const aClosing = "insert into closing_results values ('2026-11-18', 0)";
const changes = ['update entries set play_duration_sec = 0', 'delete from entries', 'truncate entries'];
const alterations = [
  ...['alter table entries add column x int', 'drop trigger entries_are_immutable on entries'],
  ...['alter table entries disable trigger all', 'set session_replication_role = replica'],
  ...['drop table confirmations', 'create table public.x (y int)', 'create schema x'],
  ...['create or replace function refuse_change() returns trigger language plpgsql as $$ begin end $$'],
  ...["insert into gsb_migrations (name, run_on) values ('9999_x', now())"],
  ...['lock table entries in access exclusive mode', 'alter table entries owner to current_user'],
];
const foreign: Record<RoleName, string[]> = {
  writer: [
    ...['select user_hash from entries', 'select * from closings', 'delete from log_positions', aClosing],
    ...['select * from ledger_watermark()', 'delete from confirmations', ...numbered],
  ],
  reader: [
    ...[anEntry, aClosing, 'insert into confirmations values (1)', 'select * from log_positions'],
    ...['select secret from user_hash_secrets', 'select * from ledger_watermark()'],
  ],
  closer: [
    ...[anEntry, 'delete from closings', 'update closing_totals set sessions = 0'],
    ...['select secret from user_hash_secrets', 'insert into log_positions values (1)'],
  ],
};

test('close-day says that Postgres refuses, and not that it is away', async () => {
  const { code, err } = await command('close-day', ['--without-partner'], 'writer');

  expect([code, err]).toEqual([1, expect.stringContaining('Postgres refuses: permission denied for')]);
});

describe.each(names)('the %s may not', (role) => {
  test.each([...foreign[role], ...changes, ...alterations])('%s', async (statement) => {
    await as[role].query('begin');
    const refused = await as[role].query(statement).then(
      () => 'it may',
      (error: unknown) => (error as Error).message,
    );
    await as[role].query('rollback');

    expect(refused).toMatch(/permission denied|must be owner|must have/);
  });
});

test('a right that is lacking gives no event up, as if Postgres were away (D-53)', async () => {
  const reads = postgresPositions(as.reader).current();

  await expect(reads).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('the migration takes what an earlier one gave: the writer could insert into every column', async () => {
  const allowed = `select has_table_privilege('${called('writer')}', 'entries', 'insert') as is_allowed`;
  const isAllowed = async () => (await database.client.query<{ is_allowed: boolean }>(allowed)).rows[0];
  await database.client.query(`grant insert on entries, confirmations to ${called('writer')}`);
  const startsBefore = await lackingRights({ db: as.writer, part: 'writer', grants: roles.writer });
  expect([await isAllowed(), startsBefore]).toEqual([{ is_allowed: true }, '']);

  expect(await migrateWith(called('writer'), called('reader'), called('closer'))).toMatchObject({ code: 0 });

  expect(await isAllowed()).toEqual({ is_allowed: false });
});

describe('the migration gives a part to nobody', () => {
  test.each([
    ['who is not there', () => 'nobody', 'does not exist'],
    ['who has another part', () => called('reader'), 'is named twice'],
    [
      'who owns the ledger',
      () => new URL(database.url).username,
      'owns the ledger or may act|may create roles',
    ],
    ['who may act as the owner', () => called('heir'), 'may act as its owner'],
    ['who may make roles', () => called('mighty'), 'may create roles'],
    ['who is one of those who write everything', () => called('scribe'), 'is a member of pg_write_all_data'],
  ])('%s', async (_who, name, why) => {
    const { code, err } = await migrateWith(name(), called('reader'), called('closer'));

    expect([code, err]).toEqual([1, expect.stringMatching(why)]);
  });

  test('without the others', async () => {
    const { code, err } = await migrateWith(called('writer'), '', called('closer'));

    expect([code, err]).toEqual([1, expect.stringContaining('POSTGRES_READER_USERNAME: is not set')]);
  });
});

test('settlement holds the passwords of its reader and its writer, and not the owner’s or the closer’s', async () => {
  const { processes, postgres } = await theStack();
  const { pid } = processes.find(({ service }) => service === 'settlement')!;
  const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
  const passwords = [postgres.url, postgres.closer_url ?? ''].map((url) => new URL(url).password);

  expect(environment).toContain('gsb_reader:');
  expect(environment).toContain('POSTGRES_WRITER_PASSWORD=');
  for (const password of passwords) expect(environment).not.toContain(password);
});

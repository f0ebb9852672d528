import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { runCommand } from '../support/command.ts';
import { ownDatabase } from '../support/own-database.ts';
import type { OwnDatabase } from '../support/own-database.ts';

const [day, next] = ['2026-11-18', '2026-11-19'];
const run = randomBytes(4).toString('hex');
const called = (role: string): string => `test_${role}_${run}`;
const names = ['writer', 'reader', 'closer'];
const lateSession = 'gs_ffffffff-0000-4000-8000-000000000000';

let database: OwnDatabase;
let closer: Client;
let published: string;
const closerUrl = (): string =>
  Object.assign(new URL(database.url), { username: called('closer'), password: run }).href;
const close = (of: string) =>
  runCommand('deploy/operations/close-day.ts', ['--day', of, '--without-partner'], {
    DATABASE_URL: closerUrl(),
  });

beforeAll(async () => {
  database = await ownDatabase();
  for (const role of names)
    await database.client.query(`create role ${called(role)} login password '${run}'`);
  const migrated = await runCommand('services/settlement/migrate.ts', [], {
    ...{ DATABASE_URL: database.url, POSTGRES_WRITER_USERNAME: called('writer') },
    ...{ POSTGRES_READER_USERNAME: called('reader'), POSTGRES_CLOSER_USERNAME: called('closer') },
  });
  expect(migrated).toMatchObject({ code: 0, err: '' });
  await database.seed(day, 20);
  const { code, out } = await close(day);
  expect(code).toBe(0);
  published = out;
  await database.client.query(
    `insert into entries (game_session_id, cafe_id, pc_id, game_id, user_hash, started_at, ended_at, end_reason, play_duration_sec)
     select '${lateSession}', cafe_id, pc_id, game_id, user_hash, started_at, ended_at, end_reason, 77 from entries limit 1`,
  );
  closer = new Client({ connectionString: closerUrl() });
  await closer.connect();
}, 60_000);
afterAll(async () => {
  await closer.end();
  await database.drop(names.map(called));
});

const aClosing = (of: string): string =>
  `insert into closings select '${of}', closing_no + 1, time_zone, ends_at, ends_at + interval '1 day',
     upto_entry_no, upto_entry_no, upto_confirmation_no, partner_statement from closings`;
const aTotal = (of: string): string =>
  `insert into closing_totals values ('${of}', 'c', 'g', 1, 1, 0, 0, 0, 0)`;
const aResult = (of: string): string => `insert into closing_results values ('${of}', 0)`;
const additions = [
  ['a total', aTotal(day)],
  ['an adjustment', `insert into closing_adjustments values ('${lateSession}', '${day}', '${day}')`],
  ['a difference', `insert into closing_differences values ('${day}', 'gs_x', 'c', 'b', 'c', 'g', 1, 1)`],
  [
    'a sum of differences',
    `insert into closing_difference_sums values ('${day}', 'c', 'g', 'c', 'b', 1, 1, 1)`,
  ],
] as const;
const hideClosings =
  'create temp table closings as table closings; create temp table closing_results (day date)';

/** What the closer is told who does these in one transaction. */
const told = async (...statements: string[]): Promise<string> => {
  try {
    await closer.query('begin');
    for (const statement of statements) await closer.query(statement);
    await closer.query('commit');
    return 'it may';
  } catch (error) {
    await closer.query('rollback');
    return (error as Error).message;
  }
};

describe('the closer cannot add to a day that is closed (D-53)', () => {
  test.each(additions)('%s', async (_what, statement) => {
    expect(await told(statement)).toContain(`nothing is added to the closing of ${day}`);
  });

  test.each(additions)('%s, from within a savepoint', async (_what, statement) => {
    expect(await told('savepoint s', statement)).toContain('nothing is added');
  });

  test.each(additions)('%s, behind tables of its own that hide the closings', async (_what, statement) => {
    expect(await told(hideClosings, statement)).toContain('nothing is added');
  });

  test('a total, in the statement that closes another day', async () => {
    const another = `with k as (${aClosing(next)}) ${aTotal(day)}`;

    expect(await told(another, aResult(next))).toContain('nothing is added');
  });

  test('a second closing or a second result', async () => {
    expect(await told(aClosing(day))).toContain('closings_pkey');
    expect(await told(aResult(day))).toContain('closing_results_pkey');
  });

  test('anything after the result, in the transaction that closes', async () => {
    expect(await told(aClosing(next), aResult(next), aTotal(next))).toContain('nothing is added');
  });
});

test('a closing without a result is not committed: it could be added to later', async () => {
  expect(await told(aClosing(next), aTotal(next))).toBe(`the closing of ${next} has no result`);
});

test('what was published of a closed day is read again after all that, and the next day is closed', async () => {
  const again = await close(day);
  const another = await close(next);

  expect([again.code, again.out]).toEqual([0, published]);
  expect([another.code, another.out]).toEqual([0, expect.stringContaining(`adjustment,${day},`)]);
}, 20_000);

import { randomBytes } from 'node:crypto';
import { roles } from '../../services/settlement/roles.ts';
import type { RoleName } from '../../services/settlement/roles.ts';
import { runCommand } from '../support/command.ts';
import { ownDatabase } from '../support/own-database.ts';
import type { OwnDatabase } from '../support/own-database.ts';

const run = randomBytes(4).toString('hex');
const names = Object.keys(roles) as RoleName[];
const called = (role: RoleName | 'group' | 'outer'): string => `right_${role}_${run}`;
const reader = called('reader');
const groups = [called('group'), called('outer')];

let database: OwnDatabase;
const migrate = () =>
  runCommand('services/settlement/migrate.ts', [], {
    ...{ DATABASE_URL: database.url, POSTGRES_WRITER_USERNAME: called('writer') },
    ...{ POSTGRES_READER_USERNAME: reader, POSTGRES_CLOSER_USERNAME: called('closer') },
  });
const asked = async (question: string): Promise<unknown> =>
  Object.values((await database.client.query(`select ${question}`)).rows[0] as object)[0];

beforeAll(async () => {
  database = await ownDatabase();
  for (const role of [...names.map(called), ...groups]) await database.client.query(`create role ${role}`);
  expect(await migrate()).toMatchObject({ code: 0, err: '' });
}, 60_000);
afterAll(async () => {
  await database.drop([...names.map(called), ...groups]);
});

describe('a migration takes from the roles what is not theirs, also what everybody has', () => {
  test.each([
    ['grant select on user_hash_secrets to public', "has_table_privilege($1, 'user_hash_secrets', 'select')"],
    ['grant delete on entries to public', "has_table_privilege($1, 'entries', 'delete')"],
    [
      'grant update (play_duration_sec) on entries to public',
      "has_any_column_privilege($1, 'entries', 'update')",
    ],
    [
      'grant select (secret) on user_hash_secrets to $1',
      "has_any_column_privilege($1, 'user_hash_secrets', 'select')",
    ],
    ['grant truncate on entries to $1 with grant option', "has_table_privilege($1, 'entries', 'truncate')"],
    [
      'grant execute on function ledger_watermark() to public',
      "has_function_privilege($1, 'ledger_watermark()', 'execute')",
    ],
    [
      'grant execute on function refuse_change() to public',
      "has_function_privilege($1, 'refuse_change()', 'execute')",
    ],
    [
      'grant update on sequence entries_entry_no_seq to public',
      "has_sequence_privilege($1, 'entries_entry_no_seq', 'update')",
    ],
    ['grant create on schema public to public', "has_schema_privilege($1, 'public', 'create')"],
    ['grant create on schema public to $1', "has_schema_privilege($1, 'public', 'create')"],
    ['grant create on database DATABASE to $1', "has_database_privilege($1, current_database(), 'create')"],
  ])('%s', async (widened, right) => {
    const may = () => asked(right.replace('$1', `'${reader}'`));
    const ofTheTest = new URL(database.url).pathname.slice(1);
    await database.client.query(widened.replace('$1', reader).replace('DATABASE', ofTheTest));
    expect(await may()).toBe(true);

    expect(await migrate()).toMatchObject({ code: 0, err: '' });

    expect(await may()).toBe(false);
  });
});

describe('a migration refuses a role whose other rights it cannot take, and says which', () => {
  const [group, outer] = groups;
  const because = (right: string) =>
    `the role ${reader} has ${right}, which is not its part, and the migration cannot take it: revoke it`;
  const member = `grant ${group} to ${reader}`;
  const left = [`revoke ${group} from ${reader}`];

  test.each([
    [
      'as a member of another role',
      [`grant delete on entries to ${group}`, member],
      because(`delete on table entries, as a member of ${group}`),
      [`revoke delete on entries from ${group}`, ...left],
    ],
    [
      'as a member of a member',
      [`grant select on user_hash_secrets to ${outer}`, `grant ${outer} to ${group}`, member],
      because(`select on table user_hash_secrets, as a member of ${group}`),
      [`revoke select on user_hash_secrets from ${outer}`, `revoke ${outer} from ${group}`, ...left],
    ],
    [
      'in a role that it does not inherit from',
      [`grant update (end_reason) on entries to ${group}`, `alter role ${reader} noinherit`, member],
      because(`update (end_reason) on table entries, as a member of ${group}`),
      [`revoke update (end_reason) on entries from ${group}`, `alter role ${reader} inherit`, ...left],
    ],
    [
      'by what it owns',
      ['create table own (x int)', `alter table own owner to ${reader}`],
      because('ownership of table own'),
      ['drop table own'],
    ],
    [
      'to switch triggers off',
      [`grant set on parameter session_replication_role to ${reader}`],
      because('set on parameter session_replication_role'),
      [`revoke set on parameter session_replication_role from ${reader}`],
    ],
    [
      'as one who reads everything',
      [`grant pg_read_all_data to ${reader}`],
      `the role ${reader} is a member of pg_read_all_data: name another one`,
      [`revoke pg_read_all_data from ${reader}`],
    ],
    [
      'as one who maintains everything',
      [`grant pg_monitor to ${group}`, member],
      `the role ${reader} is a member of pg_monitor`,
      [`revoke pg_monitor from ${group}`, ...left],
    ],
    [
      'past row security',
      [`alter role ${reader} bypassrls`],
      `the role ${reader} may bypass row security`,
      [`alter role ${reader} nobypassrls`],
    ],
    [
      'to replicate',
      [`alter role ${reader} replication`],
      `the role ${reader} may replicate`,
      [`alter role ${reader} noreplication`],
    ],
    [
      'to make roles, through another role',
      [`alter role ${group} createrole`, member],
      `the role ${reader} may create roles, as a member of ${group}`,
      [`alter role ${group} nocreaterole`, ...left],
    ],
    [
      'as a superuser',
      [`alter role ${reader} superuser`],
      `the role ${reader} is a superuser`,
      [`alter role ${reader} nosuperuser`],
    ],
  ])('%s', async (_how, widened, sentence, taken) => {
    for (const statement of widened) await database.client.query(statement);

    const refused = await migrate();

    for (const statement of taken) await database.client.query(statement);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(sentence)]);
    expect(await migrate()).toMatchObject({ code: 0, err: '' });
  });

  test('but takes one that is in a group without rights', async () => {
    await database.client.query(`grant ${group} to ${reader}`);

    const migrated = await migrate();

    await database.client.query(`revoke ${group} from ${reader}`);
    expect(migrated).toMatchObject({ code: 0, err: '' });
  });
});

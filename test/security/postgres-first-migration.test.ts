import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { runCommand } from '../support/command.ts';

const run = randomBytes(4).toString('hex');
const called = (role: string): string => `first_${role}_${run}`;
const parts = ['writer', 'reader', 'closer'];
const server = process.env['DATABASE_URL'] ?? '';
const database = called('database');
const inDatabase = Object.assign(new URL(server), { pathname: `/${database}` }).href;
const asOwner = Object.assign(new URL(inDatabase), { username: called('owner'), password: run }).href;

const admin = new Client({ connectionString: server });
const anybody = new Client({ connectionString: inDatabase });
const migrate = () =>
  runCommand('services/settlement/migrate.ts', [], {
    ...{ DATABASE_URL: asOwner, POSTGRES_WRITER_USERNAME: called('writer') },
    ...{ POSTGRES_READER_USERNAME: called('reader'), POSTGRES_CLOSER_USERNAME: called('closer') },
  });

beforeAll(async () => {
  await admin.connect();
  await admin.query(`create role ${called('owner')} login password '${run}'`);
  for (const part of parts) await admin.query(`create role ${called(part)}`);
  await admin.query(`create database ${database} owner ${called('owner')}`);
  await anybody.connect();
});
afterAll(async () => {
  await anybody.end();
  await admin.query(`drop database ${database}`);
  for (const role of ['owner', ...parts]) await admin.query(`drop role ${called(role)}`);
  await admin.end();
});

describe('the first migration, by an owner who is no superuser (D-53)', () => {
  test('refuses a wrong role before the schema changes', async () => {
    await admin.query(`alter role ${called('reader')} bypassrls`);

    const refused = await migrate();

    await admin.query(`alter role ${called('reader')} nobypassrls`);
    const tables = await anybody.query("select from pg_tables where schemaname = 'public'");
    expect([refused.code, refused.out, tables.rowCount]).toEqual([1, '', 0]);
    expect(refused.err).toContain(`the role ${called('reader')} may bypass row security`);
  });

  test('gives three roles their rights', async () => {
    expect(await migrate()).toMatchObject({ code: 0, err: '' });
  });

  test('refuses what everybody may do with a table of somebody else, which the owner cannot take', async () => {
    await anybody.query('create table stray (x int); grant insert on stray to public');

    const refused = await migrate();

    await anybody.query('drop table stray');
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining(
        `the role ${called('reader')} has insert on table stray, which is not its part, and the migration cannot take it: revoke it`,
      ),
    ]);
  });
});

import { randomBytes } from 'node:crypto';
import { awaitRights, lackingRights } from '#libs/postgres/await-rights.ts';
import { connectPostgres } from '#libs/postgres/pool.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { postgresPositions } from '../../services/settlement/ledger/postgres-positions.ts';
import { roles } from '../../services/settlement/roles.ts';
import type { RoleName } from '../../services/settlement/roles.ts';
import { runCommand } from '../support/command.ts';
import { ownDatabase } from '../support/own-database.ts';
import type { OwnDatabase } from '../support/own-database.ts';

const run = randomBytes(4).toString('hex');
const names = Object.keys(roles) as RoleName[];
const called = (role: RoleName): string => `denied_${role}_${run}`;
const writer = called('writer');

let database: OwnDatabase;
const migrate = () =>
  runCommand('services/settlement/migrate.ts', [], {
    ...{ DATABASE_URL: database.url, POSTGRES_WRITER_USERNAME: writer },
    ...{ POSTGRES_READER_USERNAME: called('reader'), POSTGRES_CLOSER_USERNAME: called('closer') },
  });

/** The writer's pool, with what it logs and counts. */
const connected = (password = run) => {
  const lines: string[] = [];
  const log = createLog({ service: 'settlement', instance: 'x', level: 'info' }, (line) => lines.push(line));
  const metrics = createMetrics('settlement');
  const login = { user: writer, password };
  const pool = connectPostgres({ url: database.url, login, use: 'write', log, metrics });
  const denied = async () =>
    (await metrics.text())
      .split('\n')
      .filter((line) => line.includes('_count{') && line.includes('outcome="denied"'));
  return { pool, log, lines, denied };
};

beforeAll(async () => {
  database = await ownDatabase();
  for (const role of names)
    await database.client.query(`create role ${called(role)} login password '${run}'`);
  expect(await migrate()).toMatchObject({ code: 0, err: '' });
}, 60_000);
afterAll(async () => {
  await database.drop(names.map(called));
});

describe('a Postgres that answers and refuses is told apart from one that is away (D-53)', () => {
  test.each([
    [
      'a right is lacking',
      `revoke select on log_positions from ${writer}`,
      'permission denied for table log_positions',
    ],
    ['its schema is closed', 'revoke usage on schema public from public, NAME', 'relation '],
  ])('when %s: counted, said with the role, and no event is given up', async (_what, taken, why) => {
    await database.client.query(taken.replace('NAME', writer));
    const { pool, lines, denied } = connected();

    const read = postgresPositions(pool.db).current();

    await expect(read).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await denied()).toEqual([expect.stringContaining('statement="positions.sql"')]);
    expect(lines.join()).toContain(`postgres refuses the role ${writer}: ${why}`);
    await pool.stop();
    await database.client.query('grant usage on schema public to public');
    await migrate();
  });

  test('when its password is wrong', async () => {
    await database.client.query(`alter role ${writer} password 'another'`);
    const { pool, lines, denied } = connected();

    const starting = pool.start(() => undefined);
    while ((await denied()).length === 0) await new Promise(setImmediate);
    await pool.stop();
    await starting;

    await database.client.query(`alter role ${writer} password '${run}'`);
    expect(await denied()).toEqual([expect.stringContaining('statement="sign-in"')]);
    expect(lines.join()).toContain(`postgres refuses the role ${writer}: password authentication failed`);
    expect(lines.join()).not.toContain('does not answer');
  });
});

describe('a service does not begin without its rights (D-53)', () => {
  const started = async ({ pool, log }: ReturnType<typeof connected>) => {
    const rights = awaitRights({ db: pool.db, part: 'writer', grants: roles.writer, log, patience: 0 });
    await rights.start(() => undefined);
  };

  test('but with them', async () => {
    const own = connected();

    await expect(started(own)).resolves.toBeUndefined();

    await own.pool.stop();
  });

  test('and its start ends with the role and each right that is missing', async () => {
    await database.client.query(
      `revoke insert (ended_at) on entries from ${writer}; revoke select (game_session_id) on confirmations from ${writer}`,
    );
    const own = connected();

    await expect(started(own)).rejects.toThrow(
      `the role ${writer} lacks insert (ended_at) on table entries; ` +
        `the role ${writer} lacks select (game_session_id) on table confirmations: ` +
        "the ledger's writer needs it, and a migration that names the role gives it",
    );

    await own.pool.stop();
    await migrate();
  });

  test('nor where its schema is closed, which says only that', async () => {
    await database.client.query(`revoke usage on schema public from public, ${writer}`);
    const own = connected();

    await expect(started(own)).rejects.toThrow(
      `the role ${writer} lacks usage on the ledger's schema: the ledger's writer`,
    );

    await own.pool.stop();
    await database.client.query('grant usage on schema public to public');
    await migrate();
  });
});

test('one role that owns the ledger lacks nothing for any part of it', async () => {
  const { log } = connected();
  const pool = connectPostgres({
    url: database.url,
    use: 'write',
    log,
    metrics: createMetrics('settlement'),
  });
  await pool.start(() => undefined);

  const lacking = await Promise.all(
    names.map((part) => lackingRights({ db: pool.db, part, grants: roles[part] })),
  );

  await pool.stop();
  expect(lacking).toEqual(names.map(() => ''));
});

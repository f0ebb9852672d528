import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Client } from 'pg';
import { migrate } from '#libs/postgres/migrate.ts';

const root = resolve(import.meta.dirname, '../..');
const seedEntries = readFileSync(resolve(root, 'test/load/seed-entries.sql'), 'utf8');

/** A database of the test's own on the suite's Postgres, with the ledger's schema. */
export const ownDatabase = async (server = process.env['DATABASE_URL'] ?? '') => {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const admin = new Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  await migrate({ databaseUrl: url, folder: resolve(root, 'services/settlement/migrations') });
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    url,
    client,
    /** Sessions that ended on a day of Seoul; the partner has confirmed them all. */
    seed: async (day: string, count: number) => {
      await client.query(seedEntries, [`${day}T00:00:00+09:00`, count]);
      await client.query(
        'insert into confirmations select game_session_id, play_duration_sec from entries on conflict do nothing',
      );
      // As autovacuum does within a minute of so many new rows.
      await client.query('analyze');
    },
    /** `roles`: what was made for it on the server, which can go when nothing there is granted to it any more. */
    drop: async (roles: readonly string[] = []) => {
      await client.end();
      await admin.query(`drop database ${name} with (force)`);
      for (const role of roles) await admin.query(`drop role ${role}`);
      await admin.end();
    },
  };
};

/** A database of the test's own. */
export type OwnDatabase = Awaited<ReturnType<typeof ownDatabase>>;

import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { openConnection } from '#libs/postgres/dedicated-connection.ts';
import { connectPostgres } from '#libs/postgres/pool.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { ownDatabase } from '../support/own-database.ts';
import type { OwnDatabase } from '../support/own-database.ts';

const closer = `sleeper_${randomBytes(4).toString('hex')}`;
const watermark = 'select upto_entry_no::int as upto from ledger_watermark()';
const ended = "now(), now(), 'game_ended', 1";

let database: OwnDatabase;
let sleeper: Client;
const write = (client: Client) =>
  client.query(
    `insert into entries (game_session_id, cafe_id, pc_id, game_id, user_hash, started_at, ended_at, end_reason, play_duration_sec)
     values ('gs_${randomUUID()}', 'c', 'p', 'g', 'u', ${ended})`,
  );
const another = async (url = database.url): Promise<Client> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
};

beforeAll(async () => {
  database = await ownDatabase();
  await database.client.query(`create role ${closer} login password 'x'`);
  await database.client.query(`grant execute on function ledger_watermark() to ${closer}`);
  sleeper = await another(Object.assign(new URL(database.url), { username: closer, password: 'x' }).href);
}, 60_000);
afterAll(async () => {
  await sleeper.end();
  await database.client.query(`drop owned by ${closer}; drop role ${closer}`);
  await database.drop();
});

describe('whoever sleeps in a transaction does not hold up the ledger’s writer', () => {
  test('after it has read the watermark', async () => {
    const writer = await another();
    await writer.query('set lock_timeout = 1000');
    await sleeper.query('begin');
    await sleeper.query(watermark);

    await expect(write(writer)).resolves.toMatchObject({ rowCount: 1 });

    await sleeper.query('rollback');
    await writer.end();
  });

  test('nor longer than five seconds while it waits for another writer', async () => {
    const [slow, writer] = [await another(), await another()];
    await slow.query('begin');
    await write(slow);
    const began = performance.now();

    const reading = sleeper.query(`set lock_timeout = 0; ${watermark}`);
    await Promise.all([expect(reading).rejects.toThrow('lock timeout'), write(writer)]);

    expect(performance.now() - began).toBeLessThan(8_000);
    await slow.query('rollback');
    await Promise.all([slow.end(), writer.end()]);
  }, 15_000);
});

test('the watermark counts an entry that was being written when it was asked for', async () => {
  const writer = await another();
  await writer.query('begin');
  await write(writer);

  const reading = sleeper.query<{ upto: number }>(watermark);
  await writer.query('commit');
  const [{ upto } = { upto: 0 }] = (await reading).rows;

  const last = await database.client.query('select max(entry_no)::int as upto from entries');
  expect(last.rows).toEqual([{ upto }]);
  await writer.end();
});

test('Postgres ends a transaction of ours in which nothing happens: a service’s in half a minute, a command’s in five', async () => {
  const log = createLog({ service: 'test', instance: 'x', level: 'error' }, () => undefined);
  const metrics = createMetrics('settlement');
  const pool = connectPostgres({ url: database.url, use: 'read', log, metrics });
  const command = await openConnection(database.url, { lockTimeoutMs: 1_000, statementTimeoutMs: 1_000 });
  const show = { name: 'show', text: 'show idle_in_transaction_session_timeout', values: [] };

  const found = [await pool.db.query(show), await command.db.query(show)].map(({ rows }) => rows[0]);

  await Promise.all([pool.stop(), command.end()]);
  expect(found).toEqual(['30s', '5min'].map((bound) => ({ idle_in_transaction_session_timeout: bound })));
});

import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { postgresStatements } from '../../services/settlement/statements/postgres-statements.ts';
import { requireSchema } from '../../deploy/operations/require-schema.ts';
import { ownDatabase } from '../support/own-database.ts';
import { askReconciliation, askSettlement } from '../support/settlement.ts';
import { theStack } from '../support/suite-stack.ts';

const day = '2031-05-05';
const cafe = 'cafe-of-statements';
const client = new Client({ connectionString: process.env['DATABASE_URL'] });
const get = async (path: string, headers: Record<string, string> = {}) =>
  askSettlement(await theStack(), path, headers);

beforeAll(async () => {
  await client.connect();
  await client.query(
    `insert into entries (game_session_id, cafe_id, pc_id, game_id, user_hash, started_at, ended_at, end_reason, play_duration_sec)
     select 'gs_' || lpad(to_hex(n), 8, '0') || '-1111-4000-8000-000000000000', $1, 'pc_' || md5(n::text), 'game-' || n % 2,
       repeat(md5(n::text), 2), $2::timestamptz + n * interval '1 second' - interval '100 minutes', $2::timestamptz + n * interval '1 second', 'silence', n
     from generate_series(0, 1200) n`,
    [cafe, `${day}T00:00:00+09:00`],
  );
});
afterAll(() => client.end());

test('a statement as CSV ends with rows, seconds and the SHA-256 of every byte before (D-28)', async () => {
  const { status, text, headers } = await get(`statements?day=${day}&cafe=${cafe}`, { accept: 'text/csv' });

  const [checksum = '', ...before] = text.trimEnd().split('\n').reverse();
  const proven = `${before.reverse().join('\n')}\n`;
  const sha256 = createHash('sha256').update(proven).digest('hex');
  expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  expect(checksum).toBe(`# rows=1201 total_sec=${(1200 * 1201) / 2} sha256=${sha256}`);
  expect(before).toHaveLength(1202);
});

test('the same statement as JSON carries the digest of the CSV (D-28)', async () => {
  const csv = await get(`statements?day=${day}&cafe=${cafe}&game=game-1`, { accept: 'text/csv' });
  const json = await get(`statements?day=${day}&cafe=${cafe}&game=game-1`);

  const { data } = json.body as { data: { rows: unknown[]; row_count: number; sha256: string } };
  expect([data.row_count, data.rows.length]).toEqual([600, 600]);
  expect(csv.text).toContain(`sha256=${data.sha256}`);
  expect(data).toMatchObject({ day, closed: false, total_sec: 600 * 600 });
});

test.each([
  ['with rows', 1e9, 5],
  ['without', 0, 0],
])(
  'a page %s of a closed day comes from no standby that has not its closing yet: such a one may lack the end of the day',
  async (_, uptoEntryNo, rows) => {
    const { lines, adjustments } = postgresStatements(client);
    const [beginsAtMs, endsAtMs] = [Date.parse(`${day}T00:00:00+09:00`), Date.parse(`${day}T23:00:00+09:00`)];
    const scope = { beginsAtMs, endsAtMs, uptoEntryNo, uptoConfirmationNo: 1e9 };
    const page = { day, scope, cafe, game: undefined, after: undefined, size: 5 };

    expect(await lines({ ...page, closed: false })).toHaveLength(rows);
    await expect(lines({ ...page, closed: true })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(adjustments({ ...page, closed: true })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  },
);

test('a session belongs whole to the day of Seoul on which it ended (D-31)', async () => {
  const before = await get(`statements?day=2031-05-04&cafe=${cafe}`);

  expect(before.body).toMatchObject({ data: { row_count: 0, rows: [], total_sec: 0 } });
});

test('an open day is reconciled as it is now, and that stores nothing (D-29)', async () => {
  const stack = await theStack();
  const answers = [await askReconciliation(stack, day), await askReconciliation(stack, day)];

  for (const { status, body } of answers) {
    expect([status, body]).toEqual([200, expect.objectContaining({ success: true })]);
    const { data } = body as { data: { totals: unknown[]; differences: unknown[] } };
    expect(data).toMatchObject({ day, closed: false, partner_statement: 'left_out', sessions: 1201 });
    expect(data).toMatchObject({ agreeing_sessions: 0, difference_count: 1201 });
    expect(data.totals).toHaveLength(2);
    expect(data.differences).toHaveLength(1000);
    expect(data.differences[0]).toMatchObject({ cause: 'not_confirmed', our_sec: 0, their_sec: null });
  }
  const { rows } = await client.query('select from closings where day = $1', [day]);
  expect(rows).toEqual([]);
});

test.each([
  ...['statements', 'statements?day=', 'statements?day=2026-02-30', 'statements?day=20261120'],
  ...['statements?day=2026-11-20&cafe=%27', 'statements?day=1999-01-01', 'reconciliations/2026-13-01'],
  ...['reconciliations/yesterday', 'statements?day=2026-11-20&day=2026-11-21'],
])('a bad day or filter is 400 BAD_REQUEST: %s', async (path) => {
  const { status, body } = await get(path);

  expect([status, body]).toEqual([
    400,
    expect.objectContaining({ error: expect.objectContaining({ code: 'BAD_REQUEST' }) }),
  ]);
});

test('settlement refuses to start on a schema older than itself', async () => {
  const old = await ownDatabase();
  await old.client.query("delete from gsb_migrations where name = '0003_closings'");

  await expect(requireSchema(old.client, 'services/settlement/migrations')).rejects.toThrow(
    '0003_closings not applied. Run the migration first',
  );
  await old.drop();
});

import { openConnection } from '#libs/postgres/dedicated-connection.ts';
import type { DedicatedConnection } from '#libs/postgres/dedicated-connection.ts';
import { closeDay } from '../../services/settlement/closing/close-day.ts';
import { postgresClosings } from '../../services/settlement/closing/postgres-closings.ts';
import { ownDatabase } from '../support/own-database.ts';
import type { OwnDatabase } from '../support/own-database.ts';

const [day, closedDays, sessionsADay] = ['2026-11-21', 20, 500];

/** Days of Seoul, all of them closed but the last one, `day`. */
const history = [
  `insert into entries (game_session_id, cafe_id, pc_id, game_id, user_hash, started_at, ended_at, end_reason, play_duration_sec)
   select 'gs_' || md5(n::text), 'cafe-1', 'pc', 'game-1', 'u', ended_at - interval '1 minute', ended_at, 'game_ended', 60
   from (
     select n, timestamptz '2026-11-01T00:00:00+09' + n * interval '1 day' / ${sessionsADay} as ended_at
     from generate_series(0, ${(closedDays + 1) * sessionsADay - 1}) n
   ) as played`,
  'insert into confirmations (game_session_id, partner_play_duration_sec) select game_session_id, 60 from entries order by entry_no',
  `with closed as (
     insert into closings
     select
       date '2026-10-31' + n, n, 'Asia/Seoul',
       timestamptz '2026-10-31T00:00:00+09' + n * interval '1 day', timestamptz '2026-11-01T00:00:00+09' + n * interval '1 day',
       (n - 1) * ${sessionsADay}, n * ${sessionsADay}, n * ${sessionsADay}, 'left_out'
     from generate_series(1, ${closedDays}) n
     returning day
   ) insert into closing_results select day, 0 from closed`,
  'analyze',
];

let database: OwnDatabase;
beforeAll(async () => {
  database = await ownDatabase();
  for (const statement of history) await database.client.query(statement);
}, 30_000);
afterAll(() => database.drop());

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** How many rows of the ledger a plan has read, those included that were not wanted. */
const readBy = (node: PlanNode): number => {
  const isOfTheLedger = ['entries', 'confirmations'].includes(node['Relation Name'] ?? '');
  const each = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
  const own = isOfTheLedger ? each * node['Actual Loops'] : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + readBy(child), own);
};

/** A connection whose gatherings are explained while they are done; `read` has how many rows each of them has read. */
const explaining = (connection: DedicatedConnection) => {
  const read: Record<string, number> = {};
  const explain = async ({ name, text, values }: { name: string; text: string; values: unknown[] }) => {
    const explained = { name, text: `explain (analyze, format json) ${text}`, values };
    const { rows } = await connection.db.query(explained);
    const [
      {
        'QUERY PLAN': [{ Plan: plan }],
      },
    ] = rows as [{ 'QUERY PLAN': [{ Plan: PlanNode }] }];
    read[name] = Math.round(readBy(plan));
    return { rows: [] };
  };
  const query: DedicatedConnection['db']['query'] = (statement) =>
    statement.name.startsWith('gather') ? explain(statement) : connection.db.query(statement);
  return { read, connection: { ...connection, db: { query } } };
};

test.each([
  ['a preview', false],
  ['a closing', true],
])('%s reads the sessions of its day, and not the days that were closed before', async (_what, commit) => {
  const opened = await openConnection(database.url, { lockTimeoutMs: 5_000, statementTimeoutMs: 10_000 });
  const { read, connection } = explaining(opened);
  const close = closeDay({ closings: postgresClosings(connection), progress: () => undefined });

  const request = { day, timeZone: 'Asia/Seoul', commit };
  const sessions = await close(request, async (closing) => closing.sessions);
  await opened.end();

  expect(sessions).toBe(sessionsADay);
  // Each entry and its confirmation; and the entries written since the closing before, which might be late.
  expect(read).toEqual({ gatherLinesOfTheDay: 2 * sessionsADay, gatherLateLines: sessionsADay });
});

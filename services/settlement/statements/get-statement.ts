import { statementRow } from '#libs/contracts/api/settlement.ts';
import type { getStatement as contract } from '#libs/contracts/api/settlement.ts';
import type { Call, Streamed } from '#libs/http/route.ts';
import { prefersCsv } from './accept.ts';
import { csvLine, sealLine } from '../core/csv.ts';
import type { Seal } from '../core/csv.ts';
import { boundsOf } from '../core/days.ts';
import type { DayPorts, PageQuery, PlacedRow, Scope, StatementRow } from './ports.ts';

const pageSize = 2_000;
const columns = Object.keys(statementRow.shape) as (keyof StatementRow)[];
const beforeAll = { place: '-infinity', gameSessionId: '' };

type Wanted = Pick<PageQuery, 'day' | 'cafe' | 'game'> & { readonly scope: Scope };

async function* pagesOf(read: DayPorts['statements']['lines'], wanted: Wanted): AsyncGenerator<PlacedRow[]> {
  let after = beforeAll;
  for (;;) {
    const page = await read({ ...wanted, after, size: pageSize });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = { place: last.place, gameSessionId: last.row.game_session_id };
  }
}

async function* rowsOf({ statements }: DayPorts, wanted: Wanted, closed: boolean) {
  yield* pagesOf(statements.lines, wanted);
  if (closed) yield* pagesOf(statements.adjustments, wanted);
}

/** The two ways to write a statement: what comes before, each page, and what comes after. */
interface Style {
  readonly type: string;
  readonly head: string;
  readonly page: (rows: readonly StatementRow[], csv: string, isFirst: boolean) => string;
  readonly foot: (seal: Seal) => string;
}

const headLine = csvLine(columns);

const csvStyle: Style = {
  type: 'text/csv; charset=utf-8; header=present',
  head: headLine,
  page: (_, csv) => csv,
  foot: sealLine,
};

const jsonStyle = (requestId: string, day: string, closed: boolean): Style => ({
  type: 'application/json; charset=utf-8',
  head: `{"success":true,"request_id":"${requestId}","data":{"day":"${day}","closed":${closed},"rows":[`,
  page: (rows, _, isFirst) => (isFirst ? '' : ',') + rows.map((row) => JSON.stringify(row)).join(','),
  foot: ({ rowCount, totalSec, sha256 }) =>
    `],"row_count":${rowCount},"total_sec":${totalSec},"sha256":"${sha256}"}}`,
});

const csvOf = (rows: readonly StatementRow[]): string =>
  rows.map((row) => csvLine(columns.map((name) => row[name]))).join('');

type Pages = AsyncIterator<PlacedRow[], void>;

async function* written(
  style: Style,
  pages: Pages,
  first: IteratorResult<PlacedRow[], void>,
  digest: ReturnType<DayPorts['newDigest']>,
): AsyncGenerator<string> {
  let [rowCount, totalSec] = [0, 0];
  digest.update(headLine);
  yield style.head;
  for (let now = first; now.done !== true; now = await pages.next()) {
    const rows = now.value.map(({ row }) => row);
    const csv = csvOf(rows);
    digest.update(csv);
    yield style.page(rows, csv, rowCount === 0);
    rowCount += rows.length;
    totalSec += rows.reduce((sum, row) => sum + row.play_duration_sec, 0);
  }
  yield style.foot({ rowCount, totalSec, sha256: digest.end() });
}

/** A day that is open counts what is there while it is read. */
const openScope = (day: string, timeZone: string): Scope => ({
  ...boundsOf(day, timeZone),
  uptoEntryNo: Number.MAX_SAFE_INTEGER,
  uptoConfirmationNo: Number.MAX_SAFE_INTEGER,
});

/**
 * Every session of a day, as JSON or CSV, written while it is read: a million rows take no more memory than a page. A closed day is read as
 * it was closed. The digest is the CSV's in both, and comes last: an answer without it is not whole (D-28).
 */
export const getStatement =
  (ports: DayPorts) =>
  async ({ query: { day, cafe, game }, incoming }: Call<typeof contract, undefined>): Promise<Streamed> => {
    const closedScope = await ports.statements.closedScope(day);
    const closed = closedScope !== undefined;
    const scope = closedScope ?? openScope(day, ports.timeZone);
    const pages = rowsOf(ports, { day, cafe, game, scope }, closed);
    // The first page is read before anything is said: Postgres away is still a 503.
    const first = await pages.next();
    const style = prefersCsv(incoming.headers.accept) ? csvStyle : jsonStyle(incoming.requestId, day, closed);
    const headers = { 'Content-Type': style.type, Vary: 'Accept' };
    return { headers, chunks: written(style, pages, first, ports.newDigest()) };
  };

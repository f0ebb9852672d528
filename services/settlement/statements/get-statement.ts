import { Refusal } from '#libs/contracts/errors.ts';
import { statementRow } from '#libs/contracts/api/settlement.ts';
import type { getStatement as contract } from '#libs/contracts/api/settlement.ts';
import type { Operator } from '#libs/catalog/catalog.ts';
import type { Call, Streamed } from '#libs/http/route.ts';
import { prefersCsv } from './accept.ts';
import { checksumLine, csvLine } from '../core/csv.ts';
import type { Checksum } from '../core/csv.ts';
import { boundsOf } from '../core/days.ts';
import { reaches } from '../core/reach.ts';
import { createSha256 } from '../core/sha256.ts';
import type { PageQuery, PlacedRow, Scope, StatementPorts, StatementRow, Statements } from './ports.ts';

const pageSize = 2_000;
const columns = Object.keys(statementRow.shape) as (keyof StatementRow)[];

type Selection = Omit<PageQuery, 'after' | 'size'>;

async function* pagesOf(read: Statements['lines'], selection: Selection): AsyncGenerator<PlacedRow[]> {
  let page: PlacedRow[] = [];
  do {
    page = await read({ ...selection, after: page.at(-1), size: pageSize });
    if (page.length > 0) yield page;
  } while (page.length === pageSize);
}

async function* rowsOf({ statements }: StatementPorts, selection: Selection) {
  yield* pagesOf(statements.lines, selection);
  if (selection.closed) yield* pagesOf(statements.adjustments, selection);
}

/** How a statement is written in one media type: the text before the first page, of each page (given as rows and as CSV), and after the last. */
interface Format {
  readonly type: string;
  readonly head: string;
  readonly page: (rows: readonly StatementRow[], csv: string, isFirst: boolean) => string;
  readonly foot: (checksum: Checksum) => string;
}

const headLine = csvLine(columns);

const csvFormat: Format = {
  type: 'text/csv; charset=utf-8; header=present',
  head: headLine,
  page: (_, csv) => csv,
  foot: checksumLine,
};

const jsonFormat = (requestId: string, day: string, closed: boolean): Format => ({
  type: 'application/json; charset=utf-8',
  head: `{"success":true,"request_id":"${requestId}","data":{"day":"${day}","closed":${closed},"rows":[`,
  page: (rows, _, isFirst) => (isFirst ? '' : ',') + rows.map((row) => JSON.stringify(row)).join(','),
  foot: ({ rowCount, totalSec, sha256 }) =>
    `],"row_count":${rowCount},"total_sec":${totalSec},"sha256":"${sha256}"}}`,
});

const csvOf = (rows: readonly StatementRow[]): string =>
  rows.map((row) => csvLine(columns.map((name) => row[name]))).join('');

async function* write(
  format: Format,
  pages: AsyncIterator<PlacedRow[], void>,
  first: IteratorResult<PlacedRow[], void>,
): AsyncGenerator<string> {
  const digest = createSha256();
  let [rowCount, totalSec] = [0, 0];
  digest.update(headLine);
  yield format.head;
  for (let page = first; page.done !== true; page = await pages.next()) {
    const rows = page.value.map(({ row }) => row);
    const csv = csvOf(rows);
    digest.update(csv);
    yield format.page(rows, csv, rowCount === 0);
    rowCount += rows.length;
    totalSec += rows.reduce((sum, row) => sum + row.play_duration_sec, 0);
  }
  yield format.foot({ rowCount, totalSec, sha256: digest.digest('hex') });
}

/** An open day counts every entry that is there when its page is read. */
const openScope = (day: string, timeZone: string): Scope => ({
  ...boundsOf(day, timeZone),
  uptoEntryNo: Number.MAX_SAFE_INTEGER,
  uptoConfirmationNo: Number.MAX_SAFE_INTEGER,
});

/**
 * Every session of a day, as JSON or CSV, streamed: a million rows take no more memory than one page. A closed day is read as it was closed.
 * Both formats end with the SHA-256 of the CSV: an answer without it was cut off (D-28). Throws FORBIDDEN for what the
 * operator may not read (D-40), UNAVAILABLE when Postgres is away.
 */
export const getStatement =
  (ports: StatementPorts) =>
  async ({
    query: { day, cafe, game },
    incoming,
    caller,
  }: Call<typeof contract, Operator>): Promise<Streamed> => {
    if (!reaches(caller, { cafeId: cafe, gameId: game })) throw new Refusal('FORBIDDEN');
    const closedScope = await ports.statements.closedScope(day);
    const closed = closedScope !== undefined;
    const scope = closedScope ?? openScope(day, ports.timeZone);
    const pages = rowsOf(ports, { day, cafe, game, scope, closed });
    // The first page is read before the response begins, so that Postgres being away is still answered with 503.
    const first = await pages.next();
    const format = prefersCsv(incoming.headers.accept)
      ? csvFormat
      : jsonFormat(incoming.requestId, day, closed);
    const headers = { 'Content-Type': format.type, Vary: 'Accept' };
    return { headers, chunks: write(format, pages, first) };
  };

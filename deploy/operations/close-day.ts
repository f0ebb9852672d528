import type { z } from 'zod';
import { Refusal } from '#libs/contracts/errors.ts';
import { openConnection } from '#libs/postgres/dedicated-connection.ts';
import { isDenied, sqlStateOf } from '#libs/postgres/denied.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { partnerProxy } from '#libs/runtime/partner-settings.ts';
import { closeDay } from '../../services/settlement/closing/close-day.ts';
import type { CloseRequest } from '../../services/settlement/closing/close-day.ts';
import { partnerStatementOverHttp } from '../../services/settlement/closing/http-partner-statement.ts';
import { AnotherClosingRuns, PartnerStatementUnavailable } from '../../services/settlement/closing/ports.ts';
import type { Closing, ClosingLists } from '../../services/settlement/closing/ports.ts';
import { postgresClosings } from '../../services/settlement/closing/postgres-closings.ts';
import { writeClosing } from '../../services/settlement/closing/write-closing.ts';
import { migrationsFolder } from '../../services/settlement/config.ts';
import { boundsOf } from '../../services/settlement/core/days.ts';
import { CommandFailure, Misuse, exitCodes, runCommand, printToStderr } from './command-line.ts';
import type { Given } from './command-line.ts';
import { closeSchema } from './config.ts';
import { openCsv } from './csv-output.ts';
import type { CsvOutput } from './csv-output.ts';
import { auditedDay, readDay } from './day-option.ts';
import { requireSchema } from './require-schema.ts';

const help = `Closes a day: adds it up, compares the ledgers, and writes the closing as CSV to stdout. Twice gives the same bytes.

  npm run close-day -- --day 2026-11-20        (or yesterday, a calendar day of SETTLEMENT_TIME_ZONE)
    --out FILE           writes the CSV there instead
    --preview            shows the day as it stands and closes nothing
    --early              closes a day that is not over; whatever comes later becomes an adjustment
    --without-partner    closes without the partner's own statement, and says so in the closing

  DATABASE_URL, PARTNER_URL and PARTNER_TOKEN come from the environment, or from the stack that npm start runs; PARTNER_PROXY_URL where a proxy leads there.
  Exit codes: 0 closed (now or before) or previewed · 1 failed, nothing closed · 2 wrong use, or the day is not over ·
              3 the partner's statement cannot be had, nothing closed · 4 another closing runs, or the database went away or could not: run it again ·
              5 closed, but the CSV could not be written
`;
/**
 * A statement may take as long as the largest day that is advertised: at 36 million sessions those that gather and compare them all take minutes each.
 * What it keeps from others is bounded otherwise: it waits for no lock longer than a minute, and Postgres ends it when its process is gone.
 */
const limits = { lockTimeoutMs: 60_000, statementTimeoutMs: 3_600_000 };
const partnerUnavailable = 3;
const busy = 4;
const closedUnwritten = 5;
const flag = { type: 'boolean', default: false } as const;
const text = { type: 'string' } as const;
const options = { day: text, out: text, preview: flag, early: flag, 'without-partner': flag } as const;

type Config = z.output<typeof closeSchema>;

const requestOf = (
  given: Given<typeof options>,
  { SETTLEMENT_TIME_ZONE: timeZone }: Pick<Config, 'SETTLEMENT_TIME_ZONE'>,
): CloseRequest => {
  const day = readDay(given.day, timeZone);
  const overAt = boundsOf(day, timeZone).endsAtMs;
  if (Date.now() < overAt && !given.preview && !given.early)
    throw new Misuse(
      `${day} is not over in ${timeZone} until ${new Date(overAt).toISOString()}: --preview shows it as it stands, --early closes it now`,
    );
  return { day, timeZone, commit: !given.preview };
};

/** Opens what the closing is written to, before anything is closed. */
const openOutput = (out: string | undefined): Promise<CsvOutput> =>
  openCsv(out).catch((error: unknown) => {
    throw new CommandFailure(
      `the CSV cannot be written: ${String(error)}. Nothing is closed`,
      exitCodes.failed,
    );
  });

/** Writes the closing; what fails then has closed the day all the same. */
const write = async (lists: ClosingLists, closing: Closing, output: CsvOutput, isClosed: boolean) => {
  try {
    const checksum = await writeClosing(lists, output.write)(closing);
    await output.end();
    return checksum;
  } catch (error) {
    const what = isClosed ? `${closing.day} is closed, but its CSV` : 'the preview';
    throw new CommandFailure(
      `${what} could not be written: ${String(error)}. Run it again, it gives the same bytes`,
      isClosed ? closedUnwritten : exitCodes.failed,
    );
  }
};

const summary = (closing: Closing, sha256: string, isClosed: boolean): string => {
  const { day, sessions, playDurationSec, differenceCount, adjustmentCount, partnerStatement } = closing;
  const leftOut =
    partnerStatement === 'compared' ? '' : '\n! the partner’s own statement was left out of this closing';
  return `${isClosed ? '✓ closed' : '✓ preview, nothing is closed:'} ${day}: ${sessions} sessions, ${playDurationSec} s, ${differenceCount} differences, ${adjustmentCount} adjustments, sha256 ${sha256}${leftOut}`;
};

/** What Postgres or its driver said, with the code where the words leave it out. */
const saidBy = (error: unknown): string => {
  const cause = error instanceof Refusal ? error.cause : error;
  const said = cause instanceof Error ? cause.message : String(cause);
  const code = sqlStateOf(error);
  return typeof code === 'string' && !said.includes(code) ? `${said} (${code})`.trimStart() : said;
};

/** Names the failures that an operator can act on; other errors stay as they are. */
const explained = (error: unknown): unknown => {
  if (error instanceof PartnerStatementUnavailable)
    return new CommandFailure(
      `${error.message}. Nothing is closed. Run it again when the partner answers, or close without it: --without-partner`,
      partnerUnavailable,
    );
  if (isDenied(error))
    return new CommandFailure(
      `Postgres refuses: ${saidBy(error)}. Nothing is closed. Sign in as the closer, after a migration that names it (D-53)`,
      exitCodes.failed,
    );
  if (!(error instanceof Refusal)) return error;
  const why =
    error.cause instanceof AnotherClosingRuns
      ? error.cause.message
      : `the database is away, or could not: ${saidBy(error)}`;
  return new CommandFailure(`${why}. Run it again: what is closed by now is only read`, busy);
};

const run = async (given: Given<typeof options>): Promise<number> => {
  const {
    DATABASE_URL,
    PARTNER_URL: url,
    PARTNER_TOKEN: token,
    ...config
  } = readConfig(closeSchema, process.env);
  const request = requestOf(given, config);
  const readPartnerStatement = given['without-partner']
    ? undefined
    : partnerStatementOverHttp({ url, token, proxy: partnerProxy(config) });
  const output = await openOutput(given.out);
  const startedAt = performance.now();
  const progress = (text: string) =>
    printToStderr(`… ${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${text}`);
  const connection = await openConnection(DATABASE_URL, limits);
  try {
    await requireSchema(connection.db, migrationsFolder);
    const closings = postgresClosings(connection);
    await closeDay({ closings, readPartnerStatement, progress })(request, async (closing) => {
      const { sha256 } = await write(closings, closing, output, request.commit);
      printToStderr(summary(closing, sha256, request.commit));
    });
  } catch (error) {
    output.discard();
    throw error;
  } finally {
    await connection.end().catch(() => undefined);
  }
  return exitCodes.done;
};

runCommand({
  ...{ name: 'close-day', role: 'close-day', help, options, audited: auditedDay },
  run: (given) =>
    run(given).catch((error: unknown) => {
      throw explained(error);
    }),
});

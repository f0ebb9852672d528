import { createWriteStream, renameSync } from 'node:fs';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { Refusal } from '#libs/contracts/errors.ts';
import { requireSchema } from '#libs/postgres/schema-version.ts';
import { openConnection } from '#libs/postgres/dedicated-connection.ts';
import { ConfigError, readConfig } from '#libs/runtime/config.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { partnerStatementOverHttp } from '../../services/settlement/closing/http-partner-statement.ts';
import { newDigest } from '../../services/settlement/core/sha256.ts';
import { postgresClosings } from '../../services/settlement/closing/postgres-closings.ts';
import { Misuse, dayAsked, exitCodes, orMisuse, tell } from './command-line.ts';
import { closeSchema } from '../../services/settlement/config.ts';
import { boundsOf } from '../../services/settlement/core/days.ts';
import { StatementAway } from '../../services/settlement/ports.ts';
import type { Closing, Listed, PartnerStatement } from '../../services/settlement/ports.ts';
import { closeDay } from '../../services/settlement/closing/close-day.ts';
import { writeClosing } from '../../services/settlement/closing/write-closing.ts';

const help = `Closes a day: adds it up, compares the books, and writes the closing as CSV to stdout. Twice gives the same bytes.

  npm run close-day -- --day 2026-11-20        (or yesterday, a calendar day of SETTLEMENT_TIME_ZONE)
    --out FILE           writes the CSV there instead
    --preview            shows the day as it stands and closes nothing
    --early              closes a day that is not over; whatever comes later becomes an adjustment
    --without-partner    closes without the partner's own statement, and says so in the closing

  DATABASE_URL, PARTNER_URL and PARTNER_TOKEN come from the environment, or from the stack that npm start runs.
  Exit codes: 0 closed (now or before) or previewed · 1 failed, nothing closed · 2 wrong use, or the day is not over ·
              3 the partner's statement cannot be had, nothing closed · 4 another closing runs and does not end
`;
const limits = { lockTimeoutMs: 60_000, statementTimeoutMs: 300_000 };
const migrations = fileURLToPath(new URL('../../services/settlement/migrations', import.meta.url));
const flag = { type: 'boolean', default: false } as const;
const text = { type: 'string' } as const;
const options = {
  ...{ day: text, out: text },
  ...{ preview: flag, early: flag, 'without-partner': flag, help: flag },
} as const;

type Config = z.output<typeof closeSchema>;
const read = (args: string[]) => orMisuse(() => parseArgs({ args, options }).values);
type Options = ReturnType<typeof read>;

const orderOf = (given: Options, { SETTLEMENT_TIME_ZONE: timeZone }: Config) => {
  const nowMs = Date.now();
  const day = dayAsked(given.day, nowMs, timeZone);
  const overAt = boundsOf(day, timeZone).endsAtMs;
  if (nowMs < overAt && !given.preview && !given.early)
    throw new Misuse(
      `${day} is not over in ${timeZone} until ${new Date(overAt).toISOString()}: --preview shows it as it stands, --early closes it now`,
    );
  return { day, timeZone, keep: !given.preview };
};

/** A day that is closed already is read without the partner: what is missing is said when it is needed. */
const nowhere: PartnerStatement = () => {
  throw new StatementAway(
    'PARTNER_URL and PARTNER_TOKEN say where the partner’s own statement is; one is not set',
  );
};

const statementOf = (given: Options, { PARTNER_URL: url, PARTNER_TOKEN: token }: Config) => {
  if (given['without-partner']) return undefined;
  return url === undefined || token === undefined ? nowhere : partnerStatementOverHttp({ url, token });
};

const writeTo =
  (stream: Writable) =>
  async (text: string): Promise<void> => {
    if (!stream.write(text)) await once(stream, 'drain');
  };

/** Written beside and renamed, so that nobody ever reads half of it. */
const written = async (listed: Listed, closing: Closing, out: string | undefined) => {
  const ports = { listed, digest: newDigest() };
  if (out === undefined) return writeClosing({ ...ports, write: writeTo(process.stdout) })(closing);
  const file = createWriteStream(`${out}.new`);
  const seal = await writeClosing({ ...ports, write: writeTo(file) })(closing);
  await new Promise((resolve, reject) => file.on('error', reject).end(() => resolve(undefined)));
  renameSync(`${out}.new`, out);
  return seal;
};

const outcome = (closing: Closing, sha256: string, keep: boolean): string => {
  const { day, sessions, playDurationSec, differenceCount, adjustmentCount, partnerStatement } = closing;
  const compared =
    partnerStatement === 'compared' ? '' : '\n! the partner’s own statement was left out of this closing';
  return `${keep ? '✓ closed' : '✓ preview, nothing is closed:'} ${day}: ${sessions} sessions, ${playDurationSec} s, ${differenceCount} differences, ${adjustmentCount} adjustments, sha256 ${sha256}${compared}`;
};

const main = async (): Promise<void> => {
  const given = read(process.argv.slice(2));
  if (given.help) return void process.stdout.write(help);
  const config = readConfig(closeSchema, process.env);
  const order = orderOf(given, config);
  const statement = statementOf(given, config);
  const startedAt = performance.now();
  const progress = (text: string) =>
    tell(`… ${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${text}`);
  const session = await openConnection(config.DATABASE_URL, limits);
  try {
    await requireSchema(session.db, migrations);
    const closings = postgresClosings(session);
    await closeDay({ closings, statement, progress })(order, async (closing) => {
      const { sha256 } = await written(closings, closing, given.out);
      tell(outcome(closing, sha256, order.keep));
    });
  } finally {
    await session.end().catch(() => undefined);
  }
};

const explain = (error: unknown): number | undefined => {
  const told = (code: number, text: string) => {
    tell(`close-day: ${text}`);
    return code;
  };
  if (error instanceof Misuse) return told(exitCodes.misused, `${error.message} (--help says more)`);
  if (error instanceof ConfigError) return told(exitCodes.misused, error.message);
  if (error instanceof StatementAway)
    return told(
      exitCodes.statementAway,
      `${error.message}. Nothing is closed. Run it again when the partner answers, or close without it: --without-partner`,
    );
  if (error instanceof Refusal)
    return told(
      exitCodes.busy,
      'another closing runs, or the database is away; nothing is closed. Run it again',
    );
  return undefined;
};

runMain(async () => {
  try {
    await main();
  } catch (error) {
    const code = explain(error);
    if (code === undefined) throw error;
    process.exitCode = code;
  }
});

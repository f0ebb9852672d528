import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { connectKafka } from '#libs/kafka/connection.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { readLog, offsetRangesSince } from '#libs/kafka/replay/offset-ranges.ts';
import type { OffsetRange } from '#libs/kafka/replay/log-reader.ts';
import { isWanted, tryDecodeEvent } from '#libs/kafka/decode-event.ts';
import { migrate } from '#libs/postgres/migrate.ts';
import { openConnection } from '#libs/postgres/dedicated-connection.ts';
import type { DedicatedConnection } from '#libs/postgres/dedicated-connection.ts';
import { ConfigError, readConfig } from '#libs/runtime/config.ts';
import { createLog } from '#libs/runtime/log.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { kafkaAccess } from '#libs/runtime/settings.ts';
import { sleep } from '#libs/runtime/wait.ts';
import { postgresClosings } from '../../services/settlement/closing/postgres-closings.ts';
import { postgresLedger } from '../../services/settlement/ledger/postgres-ledger.ts';
import { compareReplay, scratchSchema } from '../../services/settlement/ledger/postgres-replay.ts';
import { Misuse, dayAsked, exitCodes, orMisuse, tell } from './command-line.ts';
import { replaySchema } from '../../services/settlement/config.ts';
import { boundsOf } from '../../services/settlement/core/days.ts';
import { recordPlay } from '../../services/settlement/ledger/record-play.ts';
import type { Settled } from '../../services/settlement/ledger/record-play.ts';
import { replayEvents } from '../../services/settlement/ledger/replay-events.ts';

const help = `Proves the ledger: writes a day down once more from the log, into a scratch schema, and compares.

  npm run replay -- --day 2026-11-20        (or today, yesterday)

  DATABASE_URL and KAFKA_BROKERS come from the environment, or from the stack that npm start runs.
  Exit codes: 0 identical · 1 different, or failed · 2 wrong use, or the log does not reach back to the day
`;
const options = { day: { type: 'string' }, help: { type: 'boolean', default: false } } as const;
const limits = { lockTimeoutMs: 10_000, statementTimeoutMs: 120_000 };
const folder = fileURLToPath(new URL('../../services/settlement/migrations', import.meta.url));
const lagMs = 10_000;
const pauseMs = 500;
const replayLock = 5_120_208;
/** Clocks of two services may differ; an event is never said long before the play it tells of has ended. */
const marginMs = 600_000;
const wanted: ReadonlySet<string> = new Set(['game-session.ending', 'billing.stopped']);
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

const readTopic = async (
  kafka: KafkaConnection,
  stretches: readonly OffsetRange[],
  take: (events: Settled[]) => Promise<void>,
): Promise<number> => {
  let unreadable = 0;
  await readLog(kafka, stretches, async (messages) => {
    const opened = messages.filter((each) => isWanted(wanted, each)).map(tryDecodeEvent);
    unreadable += opened.filter((each) => each === undefined).length;
    await take(opened.filter((each) => each !== undefined) as Settled[]);
  });
  return unreadable;
};

type Config = z.output<typeof replaySchema>;

/** An empty schema with the same tables as the ledger's, made by the same migrations; there is one at a time. */
const inScratch = async <T>(
  session: DedicatedConnection,
  url: string,
  work: (scratch: DedicatedConnection) => Promise<T>,
): Promise<T> => {
  await session.command(`select pg_advisory_lock(${replayLock})`);
  const drop = () => session.command(`drop schema if exists ${scratchSchema} cascade`);
  await drop();
  await migrate({ databaseUrl: url, folder, schema: scratchSchema });
  const scratch = await openConnection(url, limits, scratchSchema);
  try {
    return await work(scratch);
  } finally {
    await scratch.end();
    await drop();
  }
};

type Comparison = Awaited<ReturnType<typeof compareReplay>>;

/** Settlement may be some events behind the log: what only the log has is looked for again for a while. */
const compared = async (compare: () => Promise<Comparison>): Promise<Comparison> => {
  const giveUpAt = performance.now() + lagMs;
  for (;;) {
    const found = await compare();
    const isBehind = found.differences.some(({ what }) => what === 'only on the log');
    if (!isBehind || performance.now() > giveUpAt) return found;
    await sleep(pauseMs);
  }
};

const replay = async (session: DedicatedConnection, day: string, config: Config) => {
  const bounds = boundsOf(day, config.SETTLEMENT_TIME_ZONE);
  const log = createLog({ service: 'replay', instance: 'replay', level: 'error' });
  const kafka = connectKafka({ ...kafkaAccess(config), clientId: 'replay', log });
  const numbers = await postgresClosings(session).numbers();
  const sinceMs = bounds.beginsAtMs - marginMs;
  const stretches = {
    'game-sessions.v1': await offsetRangesSince(kafka, 'game-sessions.v1', sinceMs),
    'billing.v1': await offsetRangesSince(kafka, 'billing.v1', sinceMs),
  };
  if (
    !Object.values(stretches)
      .flat()
      .every(({ isWhole }) => isWhole)
  )
    throw new Misuse(`the log does not reach back to ${day}: what it keeps is younger than that`);
  return inScratch(session, config.DATABASE_URL, async (scratch) => {
    const record = recordPlay({ ledger: postgresLedger(scratch.db), hash });
    const read = (topic: keyof typeof stretches, take: (events: Settled[]) => Promise<void>) =>
      readTopic(kafka, stretches[topic], take);
    const { unreadable } = await replayEvents({ read, record, progress: (text) => tell(`… ${text}`) });
    return { unreadable, ...(await compared(() => compareReplay(session, bounds, numbers))) };
  });
};

const main = async (): Promise<number> => {
  const given = orMisuse(() => parseArgs({ args: process.argv.slice(2), options }).values);
  if (given.help) {
    process.stdout.write(help);
    return exitCodes.done;
  }
  const config = readConfig(replaySchema, process.env);
  const day = dayAsked(given.day, Date.now(), config.SETTLEMENT_TIME_ZONE);
  const session = await openConnection(config.DATABASE_URL, limits);
  try {
    const { sessions, playSec, unreadable, differences } = await replay(session, day, config);
    if (unreadable > 0)
      tell(`! ${unreadable} messages cannot be read; npm run dead-letters -- list has them`);
    const verdict = differences.length === 0 ? 'identical' : 'different';
    process.stdout.write(`${verdict}: ${day}, ${sessions} sessions, ${playSec} s on the log\n`);
    for (const { game_session_id, what, ledger_sec, log_sec } of differences)
      process.stdout.write(
        `${game_session_id} ${what}: ledger ${ledger_sec ?? '-'} s, log ${log_sec ?? '-'} s\n`,
      );
    return differences.length === 0 ? exitCodes.done : exitCodes.failed;
  } finally {
    await session.end().catch(() => undefined);
  }
};

runMain(async () => {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof Misuse || error instanceof ConfigError)) throw error;
    tell(`replay: ${error.message} (--help says more)`);
    process.exitCode = exitCodes.misused;
  }
});

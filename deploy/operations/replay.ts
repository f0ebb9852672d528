import type { z } from 'zod';
import { connectKafka } from '#libs/kafka/connection.ts';
import { openConnection } from '#libs/postgres/dedicated-connection.ts';
import type { DedicatedConnection } from '#libs/postgres/dedicated-connection.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { kafkaAccess } from '#libs/runtime/kafka-settings.ts';
import { sleep } from '#libs/runtime/wait.ts';
import { boundsOf } from '../../services/settlement/core/days.ts';
import { Misuse, exitCodes, print, runCommand, printToStderr } from './command-line.ts';
import type { Given } from './command-line.ts';
import { commandLog } from './operator.ts';
import { replaySchema } from './config.ts';
import { auditedDay, readDay } from './day-option.ts';
import { kafkaEvents } from './replay/kafka-events.ts';
import { postgresReplay } from './replay/postgres-replay.ts';
import type { ReplayComparison } from './replay/ports.ts';
import { replayDay } from './replay/replay-day.ts';
import type { ReplayPorts } from './replay/replay-day.ts';

const help = `Proves the ledger: writes a day down once more from the log, into temporary tables, and compares.

  npm run replay -- --day 2026-11-20        (or today, yesterday)

  DATABASE_URL and KAFKA_BROKERS come from the environment, or from the stack that npm start runs.
  Exit codes: 0 identical · 1 different, or failed · 2 wrong use, or the log does not reach back to the day
`;
const limits = { lockTimeoutMs: 10_000, statementTimeoutMs: 120_000 };
/** Between two comparisons, while settlement is behind the log. */
const pauseMs = 500;

type Config = z.output<typeof replaySchema>;

const portsOf = (connection: DedicatedConnection, config: Config): ReplayPorts => {
  const kafka = connectKafka({ ...kafkaAccess(config), clientId: 'replay', log: commandLog('replay') });
  return {
    readEvents: kafkaEvents(kafka, (text) => printToStderr(`… ${text}`)),
    store: postgresReplay(connection.db),
    pause: () => sleep(pauseMs),
  };
};

const seconds = (sec: number | null): string => `${sec ?? '-'} s`;

/** Prints the verdict and the differences; returns the exit code. */
const report = (day: string, { sessions, playSec, differences }: ReplayComparison): number => {
  const isIdentical = differences.length === 0;
  print(`${isIdentical ? 'identical' : 'different'}: ${day}, ${sessions} sessions, ${playSec} s on the log`);
  for (const { gameSessionId, what, ledgerSec, logSec } of differences)
    print(`${gameSessionId} ${what}: ledger ${seconds(ledgerSec)}, log ${seconds(logSec)}`);
  return isIdentical ? exitCodes.done : exitCodes.failed;
};

const options = { day: { type: 'string' } } as const;

const run = async (given: Given<typeof options>): Promise<number> => {
  const config = readConfig(replaySchema, process.env);
  const day = readDay(given.day, config.SETTLEMENT_TIME_ZONE);
  const connection = await openConnection(config.DATABASE_URL, limits);
  try {
    const replay = replayDay(portsOf(connection, config));
    const replayed = await replay(boundsOf(day, config.SETTLEMENT_TIME_ZONE));
    if (replayed === undefined)
      throw new Misuse(`the log does not reach back to ${day}: what it keeps is younger than that`);
    if (replayed.unreadable > 0)
      printToStderr(
        `! ${replayed.unreadable} messages cannot be read; npm run dead-letters -- list has them`,
      );
    return report(day, replayed);
  } finally {
    await connection.end().catch(() => undefined);
  }
};

runCommand({ name: 'replay', role: 'close-day', help, options, audited: auditedDay, run });

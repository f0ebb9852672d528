import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { apis } from '#libs/contracts/document/apis.ts';
import { openapi } from '#libs/contracts/document/openapi.ts';
import { httpServer } from '#libs/http/server.ts';
import { connectKafka } from '#libs/kafka/connection.ts';
import { createBatchConsumer } from '#libs/kafka/consumer/batch-consumer.ts';
import { createPublisher } from '#libs/kafka/producer/publisher.ts';
import { connectPostgres } from '#libs/postgres/pool.ts';
import { awaitSchema } from '#libs/postgres/schema-version.ts';
import { openConnection } from '#libs/postgres/dedicated-connection.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { startProcess } from '#libs/runtime/process.ts';
import { httpAccess, kafkaAccess } from '#libs/runtime/settings.ts';
import { postgresClosings } from './closing/postgres-closings.ts';
import { postgresLedger } from './ledger/postgres-ledger.ts';
import { postgresStatements } from './statements/postgres-statements.ts';
import { newDigest } from './core/sha256.ts';
import { api } from './api.ts';
import { schema } from './config.ts';
import type { Ports } from './ports.ts';
import type { DayPorts } from './statements/ports.ts';
import { recordPlay } from './ledger/record-play.ts';

const name = 'settlement';
const clock = Date.now;
const migrations = fileURLToPath(new URL('./migrations', import.meta.url));
/** A look at an open day of a million lines takes seconds; who cannot have a lock hears 503. */
const lookLimits = { lockTimeoutMs: 5_000, statementTimeoutMs: 30_000 };

runMain(async () => {
  const config = readConfig(schema, process.env);
  await startProcess(name, config, ({ log, metrics }) => {
    const kafka = connectKafka({ ...kafkaAccess(config), clientId: name, log });
    const publisher = createPublisher({ kafka, source: name, metrics, log, clock });
    const postgres = connectPostgres({ url: config.DATABASE_URL, log, metrics });
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    const ports: Ports & DayPorts = {
      ledger: postgresLedger(postgres.db),
      hash,
      statements: postgresStatements(postgres.db),
      timeZone: config.SETTLEMENT_TIME_ZONE,
      openClosings: async () => postgresClosings(await openConnection(config.DATABASE_URL, lookLimits)),
      newDigest,
    };
    const document = openapi(apis.settlement);
    const http = { ...httpAccess(config), metrics, log, document };
    return [
      postgres,
      awaitSchema({ db: postgres.db, folder: migrations, log }),
      publisher,
      createBatchConsumer<'game-session.ending' | 'billing.stopped'>({
        kafka,
        group: name,
        events: ['game-session.ending', 'billing.stopped'],
        handle: recordPlay(ports),
        deadLetters: publisher,
        metrics,
        log,
      }),
      httpServer({ ...http, routes: api(ports), authenticate: {} }),
    ];
  });
});

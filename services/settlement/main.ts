import { openapiOf } from '#libs/http/openapi.ts';
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
import { api } from './api.ts';
import { postgresClosings } from './closing/postgres-closings.ts';
import { migrationsFolder, schema } from './config.ts';
import { postgresLedger } from './ledger/postgres-ledger.ts';
import { recordPlay } from './ledger/record-play.ts';
import { postgresStatements } from './statements/postgres-statements.ts';

const name = 'settlement';
const clock = Date.now;
/** A reconciliation of an open day of a million lines takes seconds; a lock that times out is answered with 503. */
const reconciliationLimits = { lockTimeoutMs: 5_000, statementTimeoutMs: 30_000 };

runMain(async () => {
  const config = readConfig(schema, process.env);
  await startProcess(name, config, ({ log, metrics }) => {
    const kafka = connectKafka({ ...kafkaAccess(config), clientId: name, log });
    const publisher = createPublisher({ kafka, source: name, metrics, log, clock });
    const postgres = connectPostgres({ url: config.DATABASE_URL, log, metrics });
    const ports = {
      ledger: postgresLedger(postgres.db),
      statements: postgresStatements(postgres.db),
      timeZone: config.SETTLEMENT_TIME_ZONE,
      openClosings: async () =>
        postgresClosings(await openConnection(config.DATABASE_URL, reconciliationLimits)),
    };
    const document = openapiOf('settlement');
    const http = { ...httpAccess(config), metrics, log, document };
    return [
      postgres,
      awaitSchema({ db: postgres.db, folder: migrationsFolder, log }),
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

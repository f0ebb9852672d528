import { createHash } from 'node:crypto';
import { apis } from '#libs/contracts/document/apis.ts';
import { openapi } from '#libs/contracts/document/openapi.ts';
import { httpServer } from '#libs/http/server.ts';
import { connectKafka } from '#libs/kafka/connection.ts';
import { createBatchConsumer } from '#libs/kafka/batch-consumer.ts';
import { createPublisher } from '#libs/kafka/producer.ts';
import { connectPostgres } from '#libs/postgres/connection.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { runMain } from '#libs/runtime/main.ts';
import { startProcess } from '#libs/runtime/process.ts';
import { postgresLedger } from './adapters/postgres-ledger.ts';
import { api } from './api.ts';
import { schema } from './config.ts';
import type { Ports } from './ports.ts';
import { recordPlay } from './usecases/record-play.ts';

const name = 'settlement';
const clock = Date.now;

runMain(async () => {
  const config = readConfig(schema, process.env);
  await startProcess(name, config, ({ log, metrics }) => {
    const kafka = connectKafka({ brokers: config.KAFKA_BROKERS, clientId: name, log });
    const publisher = createPublisher({ kafka, source: name, metrics, log, clock });
    const postgres = connectPostgres({ url: config.DATABASE_URL, log, metrics });
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    const ports: Ports = { ledger: postgresLedger(postgres.db), hash };
    const document = openapi(apis.settlement);
    const http = { host: config.BIND_HOST, port: config.HTTP_PORT, metrics, log, clock, document };
    return [
      postgres,
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

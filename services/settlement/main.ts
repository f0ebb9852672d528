import { randomBytes } from 'node:crypto';
import { createCatalog } from '#libs/catalog/catalog.ts';
import { createKeyChanges } from '#libs/catalog/key-changes.ts';
import { lookOften } from '#libs/catalog/look-often.ts';
import { measured } from '#libs/catalog/measured.ts';
import { openObjects } from '#libs/catalog/open-catalog.ts';
import { createRightsChanges } from '#libs/catalog/rights-changes.ts';
import { openapiOf } from '#libs/http/openapi.ts';
import { httpServer } from '#libs/http/server.ts';
import { createBatchConsumer } from '#libs/kafka/consumer/batch-consumer.ts';
import { connectPostgres } from '#libs/postgres/pool.ts';
import { awaitRights } from '#libs/postgres/await-rights.ts';
import { awaitSynchronousCommit } from '#libs/postgres/commit-reach.ts';
import type { Db } from '#libs/postgres/statement.ts';
import { awaitSchema } from '#libs/postgres/schema-version.ts';
import { createAudit } from '#libs/runtime/audit.ts';
import { createGiveWay } from '#libs/runtime/give-way.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { httpAccess } from '#libs/runtime/settings.ts';
import { runKafkaService } from '#libs/wiring/kafka-service.ts';
import type { ServiceContext } from '#libs/wiring/kafka-service.ts';
import { api, operatorCaller } from './api.ts';
import { lockAtOnce, postgresClosings } from './closing/postgres-closings.ts';
import { closingMetrics } from './closing/postgres-closing-metrics.ts';
import { ledgerAddresses, migrationsFolder, schema, writerLogin } from './config.ts';
import type { Config } from './config.ts';
import { roles } from './roles.ts';
import { postgresLedger } from './ledger/postgres-ledger.ts';
import { postgresPositions } from './ledger/postgres-positions.ts';
import { postgresUserHashes } from './ledger/postgres-user-hashes.ts';
import { recordPlay } from './ledger/record-play.ts';
import { postgresStatements } from './statements/postgres-statements.ts';

const service = { name: 'settlement', schema, env: process.env, clock: Date.now };
/** A reconciliation of an open day of a million lines takes seconds; a lock that times out is answered with 503. */
const reconciliationLimits = { lockTimeoutMs: 5_000, statementTimeoutMs: 30_000 };

/**
 * Who answers operators reads the ledger, and the consumer alone writes it (D-53). Statements are read from the replica where there is one; while
 * it is away they alone are 503.
 */
const connectLedger = (config: Config, observed: { readonly log: Log; readonly metrics: Metrics }) => {
  const { ledger, replica } = ledgerAddresses(config);
  const postgres = { ...ledger, ...observed };
  const reader = connectPostgres({ ...postgres, use: 'read' });
  return {
    reader,
    writer: connectPostgres({ ...postgres, use: 'write', login: writerLogin(config) }),
    statements:
      replica === undefined
        ? reader
        : connectPostgres({ ...observed, url: replica, use: 'replica', waits: false }),
  };
};

/** The pools, and what they wait for before anything is read or written. */
const fitLedger = (
  { reader, writer, statements }: ReturnType<typeof connectLedger>,
  config: Config,
  log: Log,
) => [
  ...new Set([reader, writer, statements]),
  ...(config.POSTGRES_SYNCHRONOUS === 'required' ? [awaitSynchronousCommit({ db: writer.db, log })] : []),
  awaitSchema({ db: writer.db, folder: migrationsFolder, log }),
  awaitRights({ db: writer.db, part: 'writer', grants: roles.writer, log }),
  awaitRights({ db: reader.db, part: 'reader', grants: roles.reader, log }),
];

/** A batch that begins with an older event gives way no more: where the log is behind, its batches are as large as they can be. */
const givesWayForMs = 10_000;

/** Writes what was played. Where there is no core to spare its batches come later, and are fewer and larger (D-61). */
const ledgerConsumer = (
  {
    kafka,
    publisher,
    metrics,
    log,
    clock,
  }: Pick<ServiceContext<Config>, 'kafka' | 'publisher' | 'metrics' | 'log' | 'clock'>,
  db: Db,
) => {
  const rows = metrics.counter('gsb_ledger_rows_total');
  const ledger = postgresLedger(db, (kind, count) => rows.inc({ kind }, count));
  const record = recordPlay({ ledger, hashUser: postgresUserHashes(db, () => randomBytes(32)) });
  const giveWay = createGiveWay();
  return createBatchConsumer<'game-session.ending' | 'billing.stopped'>({
    kafka,
    group: service.name,
    events: ['game-session.ending', 'billing.stopped'],
    handle: async (batch) => {
      const [first] = batch;
      const isRecent = first !== undefined && clock() - Date.parse(first.meta.time) < givesWayForMs;
      // Of a batch that is taken apart, because one event of it cannot be written, each is a batch of one.
      if (batch.length > 1 && isRecent) await giveWay();
      await record(batch);
    },
    positions: postgresPositions(db),
    deadLetters: publisher,
    metrics,
    log,
  });
};

runKafkaService(service, (context) => {
  const { config, clock, publisher, log, metrics, security } = context;
  const pools = connectLedger(config, { log, metrics });
  const { reader, writer } = pools;
  const ports = {
    ledger: postgresLedger(reader.db),
    statements: postgresStatements(pools.statements.db),
    timeZone: config.SETTLEMENT_TIME_ZONE,
    openClosings: async () => postgresClosings(await reader.borrow(reconciliationLimits), lockAtOnce),
  };
  const use = { kinds: ['Operator'], writesStatus: false, log } as const;
  const source = measured(openObjects(config, use), metrics, clock);
  const { objects } = source;
  const catalog = createCatalog(objects, clock);
  const audit = createAudit(security);
  const document = openapiOf('settlement');
  const http = { ...httpAccess(config), metrics, log, security, document };
  return [
    source,
    lookOften('key changes', createKeyChanges({ objects, kind: 'Operator', catalog, note: security, clock })),
    lookOften('rights changes', createRightsChanges({ objects, note: security })),
    ...fitLedger(pools, config, log),
    publisher,
    ledgerConsumer(context, writer.db),
    closingMetrics({ ...ports, ...{ db: reader.db, metrics, clock, log } }),
    httpServer({
      ...http,
      routes: api(ports, audit),
      authenticate: { 'operator-key': operatorCaller(catalog, { audit, security }) },
    }),
  ];
});

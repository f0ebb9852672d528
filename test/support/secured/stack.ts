import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { topics } from '#libs/contracts/topics.ts';
import { ensureTopics } from '#libs/kafka/admin/ensure-topics.ts';
import { localUrl, oneOfEach } from '../../../deploy/local/programs.ts';
import type { Addresses } from '../../../deploy/local/programs.ts';
import { startRedis } from '../../../deploy/local/redis.ts';
import { createRun } from '../../../deploy/local/run.ts';
import type { Run } from '../../../deploy/local/run.ts';
import { choosePorts, factsOf } from '../../../deploy/local/stack-facts.ts';
import { begin, migrate, startPartner, startServices } from '../../../deploy/local/start-services.ts';
import { writeCatalog } from '../../../deploy/local/write-catalog.ts';
import { createAuthority } from './authority.ts';
import { startSecuredKafka } from './kafka.ts';
import type { Login } from './kafka.ts';
import { startSecuredPostgres } from './postgres.ts';

const root = resolve(import.meta.dirname, '../../..');

const start = async (dir: string, run: Run) => {
  const authority = await createAuthority(dir);
  const server = await authority.issue('localhost');
  const starting = begin(root, { dir, run, print: () => undefined, ports: 'free' });
  const [kafka, postgres, redis, ports] = await Promise.all([
    startSecuredKafka(run, authority, server),
    startSecuredPostgres(run, authority.caFile, server),
    startRedis({ dir, run }),
    choosePorts(false),
  ]);
  const catalog = writeCatalog(join(dir, 'catalog'));
  const token = randomBytes(16).toString('hex');
  process.env['NODE_EXTRA_CA_CERTS'] = authority.caFile;
  await Promise.all([
    ensureTopics({ brokers: kafka.brokers, topics }),
    migrate(starting, postgres.verified(postgres.url), postgres.logins),
    startPartner(starting, { port: ports.partner, token, cafes: catalog.partnerCafes }),
  ]);
  const settlement = postgres.logins.settlement;
  const at: Addresses = {
    ...{ brokers: [], redis: { REDIS_URL: redis.url }, redisLogins: redis.logins.settings },
    postgres: {
      ...settlement,
      DATABASE_URL: postgres.verified(settlement['DATABASE_URL'] ?? ''),
      POSTGRES_POOLER: `localhost:${postgres.pooler}`,
      POSTGRES_REPLICA: `localhost:${postgres.replica.port}`,
    },
    ...{ catalogFolder: join(dir, 'catalog'), partner: { url: localUrl(ports.partner), token }, hops: 1 },
    settings: { NODE_EXTRA_CA_CERTS: authority.caFile },
    replicas: oneOfEach(ports, ports.opsPorts),
  };
  const stores = {
    kafka: { brokers: kafka.brokers },
    redis: { url: redis.url },
    postgres: { url: postgres.url },
  };
  const facts = factsOf({ catalog, ports, partnerToken: token, stores });
  return {
    ...{ kafka, postgres },
    /** Runs the migration again, as the owner at this address; `trust` is the file of the authorities that it believes. */
    migrate: (url: string, trust = authority.caFile) =>
      migrate(starting, url, { ...postgres.logins, migration: { NODE_EXTRA_CA_CERTS: trust } }),
    /** The five services, who sign in to Kafka this way. */
    services: async (login: Login) => {
      const kafkaLogins = (service: string) => kafka.settingsOf(login, service);
      return startServices(starting, { ...at, kafkaLogins }, facts);
    },
    facts,
  };
};

/** The stores, the partner and what the services are told of them; nothing of ours runs yet but the migration. `stop` ends all that runs. */
export const startSecuredStores = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'gsb-secured-'));
  const run = createRun(dir);
  const stop = async () => {
    delete process.env['NODE_EXTRA_CA_CERTS'];
    await run.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    const stores = await start(dir, run);
    return { ...stores, stop: () => Promise.all([stores.kafka.tokenServer.stop(), stop()]) };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** They, while a test file uses them. */
export type SecuredStores = Awaited<ReturnType<typeof startSecuredStores>>;

import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { ensureTopics } from '#libs/kafka/admin/ensure-topics.ts';
import type { TopicCatalog } from '#libs/kafka/admin/ensure-topics.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { startKafka } from './kafka.ts';
import type { KafkaStore } from './kafka.ts';
import { startManyStack } from './many/many-stack.ts';
import type { ManyOptions, ManyStack } from './many/many-stack.ts';
import { startPostgres } from './postgres.ts';
import { oneLogin } from './postgres-logins.ts';
import { localUrl, oneOfEach } from './programs.ts';
import type { Addresses } from './programs.ts';
import { noLogins } from './redis-logins.ts';
import { startRedis } from './redis.ts';
import type { Run } from './run.ts';
import { topicsOf } from './settings.ts';
import { choosePorts, factsOf, postgresFacts } from './stack-facts.ts';
import { begin, byName, migrate, startPartner, startServices, startStep } from './start-services.ts';
import type { StackOptions, Starting } from './start-services.ts';
import type { Store } from './store-process.ts';
import type { Supervised } from './supervisor.ts';
import { writeCatalog } from './write-catalog.ts';

const root = resolve(import.meta.dirname, '../..');

/** A local stack that runs. */
export interface Stack {
  readonly path: string;
  facts(): StackFacts;
  service(name: string): Supervised;
  readonly kafka: KafkaStore;
  readonly redis: Store & { readonly url: string };
  readonly postgres: Store & { readonly url: string };
  stop(): Promise<void>;
}

const untouched: Store = {
  pid: undefined,
  stop: async () => undefined,
  kill: async () => undefined,
  restart: async () => undefined,
};

/** The three stores: what is named is used as it is, the rest is started here. */
const startStores = async (options: StackOptions, run: Run) => {
  const { brokers, redisUrl, postgresUrl } = options.named ?? {};
  const port = (usual: number) => (options.ports === 'usual' ? usual : 0);
  const common = { dir: options.dir, print: options.print, run };
  const [kafka, redis, postgres] = await Promise.all([
    brokers
      ? { ...untouched, brokers: [...brokers] }
      : startKafka({ ...common, port: port(9092), isShort: options.ports === 'free' }),
    redisUrl
      ? { ...untouched, url: redisUrl, logins: noLogins }
      : startRedis({ ...common, port: port(6379) }),
    postgresUrl
      ? { ...untouched, url: postgresUrl, logins: oneLogin(postgresUrl) }
      : startPostgres({ ...common, port: port(5432) }),
  ]);
  return { kafka, redis, postgres };
};

type Stores = Awaited<ReturnType<typeof startStores>>;
const prepare = (
  starting: Starting,
  { kafka, postgres }: Stores,
  { topics, partner }: { topics: TopicCatalog; partner: Promise<void> },
): Promise<unknown> =>
  Promise.all([
    ensureTopics({ brokers: kafka.brokers, topics }),
    migrate(starting, postgres.url, postgres.logins),
    partner,
  ]);

/** One of everything. */
const startSingle = async (options: StackOptions): Promise<Stack> => {
  const { dir, settings } = options;
  const starting = begin(root, options);
  const { run } = starting;
  const ports = await choosePorts(options.ports === 'usual');
  const catalogFolder = join(dir, 'catalog');
  const catalog = writeCatalog(catalogFolder);
  const token = randomBytes(16).toString('hex');
  const stores = await startStep(starting, 'starting Kafka, Redis and Postgres', () =>
    startStores(options, run),
  );
  const { kafka, redis, postgres } = stores;
  await startStep(starting, 'creating topics and schema, starting the partner simulator', () => {
    const { partner: port } = ports;
    const partner = startPartner(starting, { port, token, cafes: catalog.partnerCafes, settings });
    return prepare(starting, stores, { topics: topicsOf(settings), partner });
  });
  const at: Addresses = {
    ...{ brokers: kafka.brokers, redis: { REDIS_URL: redis.url } },
    postgres: postgres.logins.settlement,
    redisLogins: redis.logins.settings,
    ...{ catalogFolder, partner: { url: localUrl(ports.partner), token }, hops: 1, settings },
    replicas: oneOfEach(ports, ports.opsPorts),
  };
  const addresses = {
    ...{ kafka: { brokers: kafka.brokers }, redis: { url: redis.url } },
    postgres: postgresFacts(postgres.url, postgres.logins),
  };
  const facts = factsOf({ catalog, ports, partnerToken: token, stores: addresses, settings });
  const { path, services } = await startServices(starting, at, facts);
  return { path, ...stores, facts: () => facts(services), service: byName(services), stop: () => run.stop() };
};

interface StartStack {
  (options: ManyOptions & { readonly topology: 'many' }): Promise<ManyStack>;
  (options: StackOptions): Promise<Stack>;
}

/**
 * Brings up stores, topics, schema, partner simulator and the five services, each waited for until it is ready, and writes stack.json. One
 * of everything; with the topology `many` three brokers, a replica or standby of each other store, and two replicas of every service.
 */
export const startStack = ((options: ManyOptions & { readonly topology?: 'many' }) =>
  options.topology === 'many' ? startManyStack(root, options) : startSingle(options)) as StartStack;

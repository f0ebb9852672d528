import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { topics } from '#libs/contracts/topics.ts';
import { ensureTopics } from '#libs/kafka/admin/ensure-topics.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { writeCatalog } from './write-catalog.ts';
import { execute } from './cache.ts';
import { choosePorts, factsOf, writeFacts } from './stack-facts.ts';
import { startKafka } from './kafka.ts';
import type { KafkaStore } from './kafka.ts';
import { startPostgres } from './postgres.ts';
import { opsUrl, programs } from './programs.ts';
import type { Addresses } from './programs.ts';
import { step } from './progress.ts';
import type { Print } from './progress.ts';
import { startRedis } from './redis.ts';
import { createRun } from './run.ts';
import type { Run } from './run.ts';
import type { Store } from './store-process.ts';
import { supervise } from './supervisor.ts';
import type { Supervised } from './supervisor.ts';

const root = resolve(import.meta.dirname, '../..');
const migrateDeadlineMs = 30_000;

/** What a stack is started with. `ports`: the documented ones, or any free ones, so that stacks can run side by side. */
export interface StackOptions {
  readonly dir: string;
  readonly print: Print;
  readonly ports: 'usual' | 'free';
  /** Limits and other settings of the services. */
  readonly settings: Readonly<Record<string, string>>;
  readonly run?: Run;
}

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

const named = (name: string): string | undefined => process.env[name] || undefined;

/** The three stores: what the environment names is used as it is, the rest is started here. */
const startStores = async (options: StackOptions, run: Run) => {
  const port = (usual: number) => (options.ports === 'usual' ? usual : 0);
  const common = { dir: options.dir, print: options.print, run };
  const [brokers, redisUrl, postgresUrl] = [
    named('KAFKA_BROKERS'),
    named('REDIS_URL'),
    named('DATABASE_URL'),
  ];
  const [kafka, redis, postgres] = await Promise.all([
    brokers ? { ...untouched, brokers: brokers.split(',') } : startKafka({ ...common, port: port(9092) }),
    redisUrl ? { ...untouched, url: redisUrl } : startRedis({ ...common, port: port(6379) }),
    postgresUrl ? { ...untouched, url: postgresUrl } : startPostgres({ ...common, port: port(5432) }),
  ]);
  return { kafka, redis, postgres };
};

const migrate = (url: string): Promise<unknown> => {
  const env = { ...process.env, DATABASE_URL: url };
  return execute(process.execPath, [join(root, 'services/settlement/migrate.ts')], {
    env,
    timeout: migrateDeadlineMs,
  });
};

/** The simulated partner. Its ledger is in memory: after a restart it is empty. */
const startPartner = async (
  { run, print }: { run: Run; print: Print },
  port: number,
  token: string,
  cafes: unknown,
): Promise<void> => {
  const env = {
    HTTP_PORT: String(port),
    BIND_HOST: '127.0.0.1',
    PARTNER_TOKEN: token,
    PARTNER_CAFES: JSON.stringify(cafes),
  };
  const entry = join(root, 'deploy/simulators/partner/main.ts');
  const program = { service: 'partner', entry, env, readyUrl: `${opsUrl(port)}/health/ready` };
  await supervise(program, { run, print, changed: () => undefined }).ready();
};

type Stores = Awaited<ReturnType<typeof startStores>>;
const prepare = ({ kafka, postgres }: Stores, partner: () => Promise<void>): Promise<unknown> =>
  Promise.all([ensureTopics({ brokers: kafka.brokers, topics }), migrate(postgres.url), partner()]);

/** Starts the services, and keeps stack.json up to date from the moment that all are ready. */
const startServices = async (
  options: StackOptions,
  run: Run,
  at: Addresses,
  facts: ReturnType<typeof factsOf>,
) => {
  const path = join(options.dir, 'stack.json');
  let isUp = false;
  const write = () => {
    if (isUp && !run.stopping()) writeFacts(path, facts(services));
  };
  const services: Supervised[] = [];
  for (const program of programs(root, at)) {
    services.push(supervise(program, { run, print: options.print, changed: write }));
  }
  await startStep(run, options.print, 'starting the five services', () =>
    Promise.all(services.map((each) => each.ready())),
  );
  isUp = true;
  write();
  return { path, services };
};

const byName =
  (services: readonly Supervised[]) =>
  (name: string): Supervised => {
    const found = services.find(({ service }) => service === name);
    if (found === undefined) throw new Error(`no service is called ${name}`);
    return found;
  };

/** Runs a step of the start. Throws when the run was stopped meanwhile. */
const startStep = async <T>(run: Run, print: Print, what: string, work: () => Promise<T>): Promise<T> => {
  const result = await step(print, what, work);
  if (run.stopping()) throw new Error('stopped');
  return result;
};

/** Brings up stores, topics, schema, partner simulator and the five services, each waited for until it is ready, and writes stack.json. */
export const startStack = async (options: StackOptions): Promise<Stack> => {
  const { dir, print, settings } = options;
  const run = options.run ?? createRun(dir);
  const ports = await choosePorts(options.ports === 'usual');
  const folder = join(dir, 'catalog');
  const catalog = writeCatalog(folder);
  const token = randomBytes(16).toString('hex');
  const stores = await startStep(run, print, 'starting Kafka, Redis and Postgres', () =>
    startStores(options, run),
  );
  const partner = () => startPartner({ run, print }, ports.partner, token, catalog.partnerCafes);
  await startStep(run, print, 'creating topics and schema, starting the partner simulator', () =>
    prepare(stores, partner),
  );
  const at: Addresses = {
    ...{ brokers: stores.kafka.brokers, redisUrl: stores.redis.url, postgresUrl: stores.postgres.url },
    ...{
      partner: { url: opsUrl(ports.partner), token },
      catalogFolder: folder,
      ports,
      opsPorts: ports.opsPorts,
      settings,
    },
  };
  const facts = factsOf(catalog, { ...ports, partnerToken: token }, stores);
  const { path, services } = await startServices(options, run, at, facts);
  return { path, ...stores, facts: () => facts(services), service: byName(services), stop: () => run.stop() };
};

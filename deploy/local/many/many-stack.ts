import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ensureTopics } from '#libs/kafka/admin/ensure-topics.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { createFaults } from '../faults/faults.ts';
import type { Faults } from '../faults/faults.ts';
import { startFaultServer } from '../faults/fault-server.ts';
import { createLinks } from '../faults/links.ts';
import type { Links } from '../faults/links.ts';
import { startKafkaCluster } from '../kafka.ts';
import type { KafkaCluster } from '../kafka.ts';
import { freePort } from '../free-port.ts';
import { Missing, until } from '../progress.ts';
import { localUrl, severalOfEach } from '../programs.ts';
import type { Addresses, Replica } from '../programs.ts';
import { startReverseProxy } from '../reverse-proxy/reverse-proxy.ts';
import type { ReverseProxy } from '../reverse-proxy/reverse-proxy.ts';
import type { Run } from '../run.ts';
import { topicsOf } from '../settings.ts';
import type { NamedStores } from '../settings.ts';
import { choosePorts, factsOf, postgresFacts } from '../stack-facts.ts';
import { begin, byName, migrate, startPartner, startServices, startStep } from '../start-services.ts';
import type { StackOptions, Starting } from '../start-services.ts';
import type { Supervised } from '../supervisor.ts';
import { writeCatalog } from '../write-catalog.ts';
import { startPostgresPair } from './postgres-pair.ts';
import type { PostgresPair } from './postgres-pair.ts';
import { startRedisCluster } from './redis-cluster.ts';
import type { ManyRedis } from './redis-nodes.ts';
import { startRedisSentinels } from './redis-sentinels.ts';

const replicasOfEach = 2;
const faultPort = 8099;

/** How Redis comes many: a primary and a replica that Sentinels watch, or a cluster. */
export type RedisTopology = 'sentinel' | 'cluster';

const redisServers: Record<RedisTopology, string> = {
  sentinel: '2 Redis, 3 Sentinels',
  cluster: '6 Redis of a cluster',
};

/** What a stack with many of everything is started with. */
export interface ManyOptions extends StackOptions {
  readonly redis?: RedisTopology;
}

/** A local stack with many of everything, every link of which can be broken. */
export interface ManyStack {
  readonly path: string;
  facts(): StackFacts;
  /** A replica by its name, as `ott-1`. */
  service(name: string): Supervised;
  /** Starts the next replica of a service, which takes its part of the topics; no proxy knows it. */
  addReplica(service: Replica['service']): Promise<Supervised>;
  /** The proxies in front of the services that have an HTTP API. */
  readonly proxies: readonly ReverseProxy[];
  readonly kafka: KafkaCluster;
  readonly redis: ManyRedis;
  readonly postgres: PostgresPair;
  readonly links: Links;
  readonly faults: Faults;
  stop(): Promise<void>;
}

const refuseNamedStores = ({ brokers, redisUrl, postgresUrl }: NamedStores = {}): void => {
  const stores = { KAFKA_BROKERS: brokers, REDIS_URL: redisUrl, DATABASE_URL: postgresUrl };
  const named = Object.entries(stores).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (named.length === 0) return;
  throw new Missing(`The topology many starts its own stores: unset ${named.join(', ')}.`);
};

const startStores = async (run: Run, links: Links, { dir, print, redis: mode }: ManyOptions) => {
  const linkTo = async (broker: string, port: number) => (await links.open(broker, port)).port;
  const [kafka, redis, postgres] = await Promise.all([
    startKafkaCluster({ dir, print, run }, { linkTo }),
    mode === 'cluster' ? startRedisCluster(run, links, print) : startRedisSentinels(run, links, print),
    startPostgresPair(run, links, print),
  ]);
  return { kafka, redis, postgres };
};
type Stores = Awaited<ReturnType<typeof startStores>>;

/** The proxy in front of the replicas of a service. */
const startProxy = async (run: Run, port: number, replicas: readonly Replica[]): Promise<ReverseProxy> => {
  const upstreams = replicas.map(({ replica = '', httpPort, opsPort }) => ({
    ...{ name: replica, port: httpPort, readyUrl: `${localUrl(opsPort)}/health/ready` },
  }));
  const proxy = await startReverseProxy(port, upstreams);
  run.whenStopped(proxy.close);
  return proxy;
};

const startProxies = async (
  run: Run,
  ports: Awaited<ReturnType<typeof choosePorts>>,
  replicas: readonly Replica[],
): Promise<ReverseProxy[]> => {
  const fronts = {
    ...{ 'launcher-gateway': ports.launcher, 'game-session': ports.game, settlement: ports.settlement },
  };
  const behind = (name: string) => replicas.filter(({ service }) => service === name);
  return Promise.all(Object.entries(fronts).map(([name, port]) => startProxy(run, port, behind(name))));
};

/** Resolves once the proxies ask all replicas: what is up gets its share from the first request on. */
const allAreAsked = (proxies: readonly ReverseProxy[]): Promise<void> =>
  until('the proxies ask every replica', async () =>
    proxies.every((proxy) => proxy.ready().length === replicasOfEach),
  );

/** The partner behind a link of its own. Resolves to the link's URL. */
const startLinkedPartner = async (
  starting: Starting,
  links: Links,
  partner: Parameters<typeof startPartner>[1],
): Promise<string> => {
  await startPartner(starting, partner);
  return localUrl((await links.open('partner', partner.port)).port);
};

const storeSettings = ({ kafka, redis, postgres }: Stores) => ({
  brokers: kafka.clientBrokers,
  redis: redis.settings,
  redisLogins: redis.logins.settings,
  postgres: postgres.logins.settlement,
});

/** The addresses in stack.json: brokers past their links, because a command of an operator is not what is to be broken. */
const storeFacts = async ({ kafka, redis, postgres }: Stores, faults: string) => {
  const { url } = await redis.primary();
  return {
    kafka: { brokers: kafka.brokers },
    redis: { url, ...redis.facts },
    postgres: postgresFacts(postgres.url, postgres.logins),
    faults: { url: faults },
  };
};

/** Topics, the ledger's schema and the partner. Resolves to the partner's URL. */
const prepare = async (
  starting: Starting,
  links: Links,
  { kafka, postgres }: Stores,
  partner: Parameters<typeof startPartner>[1],
): Promise<string> => {
  const [url] = await startStep(starting, 'creating topics and schema, starting the partner simulator', () =>
    Promise.all([
      startLinkedPartner(starting, links, partner),
      ensureTopics({ brokers: kafka.brokers, topics: topicsOf(partner.settings ?? {}) }),
      migrate(starting, postgres.directUrl(), postgres.logins),
    ]),
  );
  return url;
};

/** Brings up the stores, the links that lead to them, two replicas of every service, and the proxies in front. */
export const startManyStack = async (root: string, options: ManyOptions): Promise<ManyStack> => {
  refuseNamedStores(options.named);
  const { dir, print, settings } = options;
  const starting = begin(root, options);
  const { run } = starting;
  const links = createLinks(() => run.children());
  run.whenStopped(links.close);
  const ports = await choosePorts(options.ports === 'usual');
  const catalogFolder = join(dir, 'catalog');
  const catalog = writeCatalog(catalogFolder);
  const token = randomBytes(16).toString('hex');
  const stores = await startStep(
    starting,
    `starting 3 brokers, ${redisServers[options.redis ?? 'sentinel']} and 2 Postgres`,
    () => startStores(run, links, options),
  );
  const partner = { port: ports.partner, token, cafes: catalog.partnerCafes, settings };
  const url = await prepare(starting, links, stores, partner);
  const at: Addresses = {
    ...{ ...storeSettings(stores), catalogFolder, partner: { url, token }, hops: 2, settings },
    replicas: await severalOfEach(replicasOfEach, () => freePort(0)),
  };
  const faultsAt = await freePort(options.ports === 'usual' ? faultPort : 0);
  const addresses = await storeFacts(stores, localUrl(faultsAt));
  const facts = factsOf({ catalog, ports, partnerToken: token, stores: addresses, settings });
  const proxies = await startProxies(run, ports, at.replicas);
  const { path, services, add } = await startServices(starting, at, facts);
  await allAreAsked(proxies);
  const addReplica = async (service: Replica['service']): Promise<Supervised> => {
    const [httpPort, opsPort] = [await freePort(0), await freePort(0)];
    const number = services.filter((each) => each.service === service).length + 1;
    return add({ service, replica: `${service}-${number}`, httpPort, opsPort });
  };
  const faults = await createFaults({ run, links, services, ...stores, print });
  run.whenStopped(await startFaultServer(faultsAt, faults));
  const described = { path, ...stores, links, faults, proxies, facts: () => facts(services) };
  return { ...described, addReplica, service: byName(services), stop: () => run.stop() };
};

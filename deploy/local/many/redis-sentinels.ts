import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Links } from '../faults/links.ts';
import { freePort } from '../processes.ts';
import { until } from '../progress.ts';
import { createRedisLogins } from '../redis-logins.ts';
import type { RedisLogins } from '../redis-logins.ts';
import { answersPing, redisServer } from '../redis.ts';
import type { Run } from '../run.ts';
import { runStore } from '../store-process.ts';
import type { Store, StoreOptions } from '../store-process.ts';

const master = 'gsb';
const sentinelNames = ['sentinel-1', 'sentinel-2', 'sentinel-3'] as const;
const redisNames = ['redis-1', 'redis-2'] as const;
const quorum = 2;
/** Sentinels call a server dead after this silence, in ms. */
const downAfterMs = 2_000;

/** A primary and a replica, and three Sentinels that make the replica the primary when most of them miss the primary. */
export interface RedisSentinels {
  readonly master: string;
  /** The users of the services, the same at every server. */
  readonly logins: RedisLogins;
  /** The Sentinels as their clients reach them, `host:port`. */
  readonly sentinels: readonly string[];
  /** Every server by its name: `redis-1`, `redis-2`, `sentinel-1` to `sentinel-3`. */
  readonly nodes: ReadonlyMap<string, Store>;
  /** The name and URL of the server that the Sentinels call the primary. Rejects when none of them answers. */
  primary(): Promise<{ readonly name: string; readonly url: string }>;
}

interface Place {
  readonly name: string;
  readonly port: number;
  /** The port of the link that leads here, which is announced to everybody. */
  readonly advertisedPort: number;
}

const placeOf = async (links: Links, name: string): Promise<Place> => {
  const port = await freePort(0);
  return { name, port, advertisedPort: (await links.open(name, port)).port };
};

interface ServerUsers {
  readonly users: readonly string[];
}

/** A server announces the port of its link; so everybody who asks the Sentinels goes through links. */
const redisConfig = (
  home: string,
  { port, advertisedPort, users }: Place & ServerUsers,
  primary: Place | undefined,
): string =>
  [
    ...[`port ${port}`, 'bind 127.0.0.1', `dir ${home}`, 'appendonly yes', 'save ""'],
    ...['replica-announce-ip 127.0.0.1', `replica-announce-port ${advertisedPort}`],
    ...['repl-diskless-sync-delay 0', 'repl-timeout 10', 'repl-ping-replica-period 2'],
    ...users.map((user) => `user ${user}`),
    ...(primary ? [`replicaof 127.0.0.1 ${primary.advertisedPort}`] : []),
  ].join('\n');

const sentinelConfig = (home: string, { port, advertisedPort }: Place, primary: Place): string =>
  [
    ...[`port ${port}`, 'bind 127.0.0.1', `dir ${home}`],
    ...['sentinel announce-ip 127.0.0.1', `sentinel announce-port ${advertisedPort}`],
    `sentinel monitor ${master} 127.0.0.1 ${primary.advertisedPort} ${quorum}`,
    `sentinel down-after-milliseconds ${master} ${downAfterMs}`,
    `sentinel failover-timeout ${master} 6000`,
  ].join('\n');

interface Starting {
  readonly run: Run;
  readonly server: string;
  readonly print: NonNullable<StoreOptions['print']>;
}

/** The servers write what they learn into their configuration files, so a restart goes on where they were. */
const startNode = (
  { run, server, print }: Starting,
  { name, port }: Place,
  config: (home: string) => string,
): Promise<Store> => {
  const home = join(run.dir, name);
  mkdirSync(home, { recursive: true });
  const file = join(home, 'server.conf');
  writeFileSync(file, `${config(home)}\n`);
  const args = [file, ...(name.startsWith('sentinel') ? ['--sentinel'] : [])];
  return runStore(run, {
    print,
    command: () => ({ name, command: server, args, log: run.logOf(name), wave: 'store' }),
    ready: () => answersPing('127.0.0.1', port),
  });
};

/** Asks a Sentinel once. */
const ask = async <T>(port: number, question: (sentinel: Redis) => Promise<T>): Promise<T> => {
  const options = { lazyConnect: true, connectTimeout: 500, commandTimeout: 500, maxRetriesPerRequest: 0 };
  const sentinel = new Redis(port, '127.0.0.1', { ...options, retryStrategy: () => null });
  sentinel.on('error', () => undefined);
  try {
    await sentinel.connect();
    return await question(sentinel);
  } finally {
    sentinel.disconnect();
  }
};

/** It knows the other Sentinels and a replica that it could make the primary. */
const couldFailOver = ({ port }: Place): Promise<boolean> =>
  ask(port, async (sentinel) => {
    await sentinel.call('SENTINEL', 'CKQUORUM', master);
    const replicas = (await sentinel.call('SENTINEL', 'REPLICAS', master)) as string[][];
    const [flags = ''] = replicas.map((fields) => fields[fields.indexOf('flags') + 1]);
    return flags === 'slave';
  });

/** Starts the servers, each behind a link of its name; resolves when every Sentinel could fail over. */
export const startRedisSentinels = async (
  run: Run,
  links: Links,
  print: Starting['print'],
): Promise<RedisSentinels> => {
  const starting = { run, print, server: await redisServer(print) };
  const [first, second] = [await placeOf(links, redisNames[0]), await placeOf(links, redisNames[1])];
  const watchers = await Promise.all(sentinelNames.map((name) => placeOf(links, name)));
  const logins = createRedisLogins();
  const { users } = logins;
  const one = startNode(starting, first, (home) => redisConfig(home, { ...first, users }, undefined));
  const two = startNode(starting, second, (home) => redisConfig(home, { ...second, users }, first));
  const stores = await Promise.all([one, two]);
  const watching = watchers.map((place) =>
    startNode(starting, place, (home) => sentinelConfig(home, place, first)),
  );
  const names = [...redisNames, ...sentinelNames];
  const started = [...stores, ...(await Promise.all(watching))];
  const nodes = new Map(started.map((store, at) => [names[at] ?? '', store]));
  await until('the Sentinels', async () => (await Promise.all(watchers.map(couldFailOver))).every(Boolean));
  const addressOf = ({ port }: Place) =>
    ask(
      port,
      async (sentinel) => (await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master)) as string[],
    );
  return {
    ...{
      master,
      logins,
      nodes,
      sentinels: watchers.map(({ advertisedPort }) => `127.0.0.1:${advertisedPort}`),
    },
    primary: async () => {
      const [, port] = await Promise.any(watchers.map(addressOf));
      const name = second.advertisedPort === Number(port) ? second.name : first.name;
      return { name, url: `redis://127.0.0.1:${port}` };
    },
  };
};

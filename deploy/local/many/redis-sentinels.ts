import type { Links } from '../faults/links.ts';
import { until } from '../progress.ts';
import { createRedisLogins } from '../redis-logins.ts';
import { redisServer } from '../redis.ts';
import type { Run } from '../run.ts';
import { ask, dataConfig, dirConfig, placeOf, startNode } from './redis-nodes.ts';
import type { ManyRedis, Place, Starting } from './redis-nodes.ts';

const master = 'gsb';
const sentinelNames = ['sentinel-1', 'sentinel-2', 'sentinel-3'] as const;
const redisNames = ['redis-1', 'redis-2'] as const;
const quorum = 2;
/** Sentinels call a server dead after this silence, in ms. */
const downAfterMs = 2_000;

/** A server announces the port of its link; so everybody who asks the Sentinels goes through links. */
const redisConfig = (home: string, place: Place, users: readonly string[]): string[] => [
  ...dataConfig(home, place, users),
  ...['replica-announce-ip 127.0.0.1', `replica-announce-port ${place.advertisedPort}`],
];

const sentinelConfig = (home: string, { port, advertisedPort }: Place, primary: Place): string[] => [
  ...[`port ${port}`, 'bind 127.0.0.1', dirConfig(home)],
  ...['sentinel announce-ip 127.0.0.1', `sentinel announce-port ${advertisedPort}`],
  `sentinel monitor ${master} 127.0.0.1 ${primary.advertisedPort} ${quorum}`,
  `sentinel down-after-milliseconds ${master} ${downAfterMs}`,
  `sentinel failover-timeout ${master} 6000`,
];

/** It knows the other Sentinels and a replica that it could make the primary: one that is there, and follows the primary. */
const couldFailOver = ({ port }: Place): Promise<boolean> =>
  ask(port, async (sentinel) => {
    await sentinel.call('SENTINEL', 'CKQUORUM', master);
    const replicas = (await sentinel.call('SENTINEL', 'REPLICAS', master)) as string[][];
    const valueOf = (fields: string[], name: string) => fields[fields.indexOf(name) + 1];
    return replicas.some(
      (fields) => valueOf(fields, 'flags') === 'slave' && valueOf(fields, 'master-link-status') === 'ok',
    );
  });

/** The host and port of the primary. */
const addressFrom = ({ port }: Place): Promise<string[]> =>
  ask(
    port,
    async (sentinel) => (await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master)) as string[],
  );

const allCouldFailOver = async (watchers: readonly Place[]): Promise<boolean> =>
  (await Promise.all(watchers.map(couldFailOver))).every(Boolean);

/**
 * Starts a primary and a replica, and three Sentinels that make the replica the primary when most of them miss the primary, each behind a
 * link of its name; resolves when every Sentinel could fail over.
 */
export const startRedisSentinels = async (
  run: Run,
  links: Links,
  print: Starting['print'],
): Promise<ManyRedis> => {
  const starting = { run, print, server: await redisServer(print) };
  const [first, second] = [await placeOf(links, redisNames[0]), await placeOf(links, redisNames[1])];
  const watchers = await Promise.all(sentinelNames.map((name) => placeOf(links, name)));
  const logins = createRedisLogins();
  const { users } = logins;
  const replicaOf = `replicaof 127.0.0.1 ${first.advertisedPort}`;
  const one = startNode(starting, first, (home) => redisConfig(home, first, users));
  const two = startNode(starting, second, (home) => [...redisConfig(home, second, users), replicaOf]);
  const stores = await Promise.all([one, two]);
  const watching = watchers.map((place) =>
    startNode(starting, place, (home) => sentinelConfig(home, place, first)),
  );
  const names = [...redisNames, ...sentinelNames];
  const started = [...stores, ...(await Promise.all(watching))];
  const nodes = new Map(started.map((store, at) => [names[at] ?? '', store]));
  await until('the Sentinels', () => allCouldFailOver(watchers));
  const primary = async () => {
    const [, port] = await Promise.any(watchers.map(addressFrom));
    const name = second.advertisedPort === Number(port) ? second.name : first.name;
    return { name, url: `redis://127.0.0.1:${port}` };
  };
  const sentinels = watchers.map(({ advertisedPort }) => `127.0.0.1:${advertisedPort}`);
  return {
    settings: { REDIS_MODE: 'sentinel', REDIS_SENTINELS: sentinels.join(','), REDIS_MASTER: master },
    facts: { sentinels, master },
    ...{ logins, nodes, primary },
    primaries: async () => [(await primary()).url],
    replica: async () => ((await primary()).name === first.name ? second.name : first.name),
    couldFailOver: () => allCouldFailOver(watchers),
  };
};

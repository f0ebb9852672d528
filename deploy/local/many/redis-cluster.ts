import { z } from 'zod';
import type { Links } from '../faults/links.ts';
import { freePort } from '../free-port.ts';
import { until } from '../progress.ts';
import { createRedisLogins } from '../redis-logins.ts';
import { redisServer } from '../redis.ts';
import type { Run } from '../run.ts';
import { ask, dataConfig, placeOf, startNode } from './redis-nodes.ts';
import type { ManyRedis, Place, Starting } from './redis-nodes.ts';

/** The slots of each of the three primaries; each has a replica. */
const ranges = [
  [0, 5_460],
  [5_461, 10_922],
  [10_923, 16_383],
] as const;
const names = ['redis-1', 'redis-2', 'redis-3', 'redis-4', 'redis-5', 'redis-6'] as const;
/** The servers call one of them dead after this silence, in ms. */
const downAfterMs = 2_000;

/** A server of a cluster, with the port that the servers have for one another. */
type ClusterPlace = Place & { readonly busPort: number };

const clusterPlace = async (links: Links, name: string): Promise<ClusterPlace> => ({
  ...(await placeOf(links, name)),
  busPort: await freePort(0),
});

/** A server announces the port of its link, so that clients and its replica go through links; the servers' own talk does not. */
const config = (home: string, place: ClusterPlace, users: readonly string[]): string[] => [
  ...dataConfig(home, place, users),
  ...['cluster-enabled yes', 'cluster-config-file nodes.conf', `cluster-port ${place.busPort}`],
  ...['cluster-announce-ip 127.0.0.1', `cluster-announce-port ${place.advertisedPort}`],
  ...[`cluster-announce-bus-port ${place.busPort}`, `cluster-node-timeout ${downAfterMs}`],
  ...['cluster-replica-validity-factor 0', 'cluster-allow-replica-migration no'],
];

const serverOf = z.tuple([z.string(), z.int()], z.unknown());
const slots = z.array(z.tuple([z.int(), z.int(), serverOf], serverOf));

/** The ports of the primary and its replicas for each range of slots, the first slots first, as one server knows them. */
const serversOfRanges = ({ port }: Place): Promise<number[][]> =>
  ask(port, async (server) => {
    const known = slots.parse(await server.cluster('SLOTS')).sort(([one], [other]) => one - other);
    return known.map(([, , ...servers]) => servers.map(([, at]) => at));
  });

const isWhole = ({ port }: Place): Promise<boolean> =>
  ask(port, async (server) => {
    const state = await server.cluster('INFO');
    const replication = await server.info('replication');
    const knowsAll =
      state.includes('cluster_state:ok') && state.includes(`cluster_known_nodes:${names.length}`);
    return knowsAll && (/master_link_status:up/.test(replication) || /connected_slaves:1/.test(replication));
  });

const areWhole = async (places: readonly Place[]): Promise<boolean> =>
  (await Promise.all(places.map(isWhole))).every(Boolean);

/** Gives out the slots, and makes the servers know one another; the second three become replicas of the first. */
const formCluster = async (places: readonly ClusterPlace[]): Promise<void> => {
  const [first, ...others] = places;
  for (const [at, { port }] of places.entries())
    await ask(port, async (server) => {
      await server.cluster('SET-CONFIG-EPOCH', at + 1);
      const range = ranges[at];
      if (range) await server.call('CLUSTER', 'ADDSLOTSRANGE', ...range);
    });
  await ask(first?.port ?? 0, async (server) => {
    for (const { port, busPort } of others) await server.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
  });
  const ids = await Promise.all(places.map(({ port }) => ask(port, (server) => server.cluster('MYID'))));
  const replicate = ({ port }: ClusterPlace, id: string) =>
    until('the cluster to know its servers', () =>
      ask(port, (server) => server.cluster('REPLICATE', id)).then(
        () => true,
        () => false,
      ),
    );
  await Promise.all(places.slice(ranges.length).map((place, at) => replicate(place, ids[at] ?? '')));
  await until('the cluster', () => areWhole(places));
};

/** Starts a Redis Cluster of three primaries with a replica each, every server behind a link of its name. */
export const startRedisCluster = async (
  run: Run,
  links: Links,
  print: Starting['print'],
): Promise<ManyRedis> => {
  const starting = { run, print, server: await redisServer(print) };
  const places = await Promise.all(names.map((name) => clusterPlace(links, name)));
  const logins = createRedisLogins();
  const stores = await Promise.all(
    places.map((place) => startNode(starting, place, (home) => config(home, place, logins.users))),
  );
  await formCluster(places);
  const nameAt = (port: number | undefined): string =>
    places.find(({ advertisedPort }) => advertisedPort === port)?.name ?? 'none';
  const cluster = places.map(({ advertisedPort }) => `127.0.0.1:${advertisedPort}`);
  const servers = () => Promise.any(places.map(serversOfRanges));
  const urlAt = (port: number | undefined) => `redis://127.0.0.1:${port}`;
  return {
    settings: { REDIS_MODE: 'cluster', REDIS_NODES: cluster.slice(0, ranges.length).join(',') },
    facts: { cluster },
    logins,
    nodes: new Map(stores.map((store, at) => [names[at] ?? '', store])),
    primary: async () => {
      const [[port] = []] = await servers();
      return { name: nameAt(port), url: urlAt(port) };
    },
    primaries: async () => (await servers()).map(([port]) => urlAt(port)),
    replica: async () => nameAt((await servers())[0]?.[1]),
    couldFailOver: () => areWhole(places),
  };
};

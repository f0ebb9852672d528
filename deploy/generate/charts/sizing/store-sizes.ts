import { shards } from '#libs/kernel/shards.ts';
import { specLimits } from '#libs/kernel/limits.ts';
import { serviceNames, topics } from '#libs/contracts/topics.ts';
import type { ServiceName, TopicName } from '#libs/contracts/topics.ts';
import { segmentSecOf } from '../topics-file.ts';
import { evenShare } from './hash-slots.ts';
import { maxSurge } from './live-values.ts';
import { connections, logBytes, rebuildMs, redisBytes, rowBytes } from './measured-costs.ts';
import { maxConnections } from '#libs/postgres/pool.ts';
import { leastPods } from './requested-cores.ts';
import { assumed } from './size-for.ts';
import type { Size } from './size-for.ts';

const [hour, day] = [3_600, 86_400];
/** Redis needs room beside its data: to copy on write, and because memory fragments. */
export const redisHeadroom = 1.5;
const { endedMemorySec, ottMemorySec } = specLimits;
/** Kafka begins another segment when one has as many bytes (log.segment.bytes), and takes away whole segments alone. */
const segmentBytes = 2 ** 30;

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);

/** What the busy hours of a day write, and what is kept of it at most: bytes of one copy. */
export const kafkaBytesOf = ({ perSecond, partitions }: Size) => {
  const rates = (name: TopicName): number =>
    perSecond.heartbeat * (logBytes.heartbeat[name] ?? 0) + perSecond.verify * (logBytes.session[name] ?? 0);
  const busy = assumed.busyHoursADay * hour;
  /** In a day at most the busy hours of it. */
  const within = (sec: number): number => Math.floor(sec / day) * busy + Math.min(busy, sec % day);
  const kept = (name: TopicName): number => {
    const { retentionSec } = topics[name];
    const openSegments = Math.min(
      rates(name) * within(segmentSecOf(retentionSec)),
      partitions * segmentBytes,
    );
    return rates(name) * within(retentionSec) + openSegments;
  };
  const names = Object.keys(topics) as TopicName[];
  return { aDay: sum(names.map(rates)) * busy, kept: sum(names.map(kept)) };
};

/** Packed: who plays, what is remembered of the sessions of the last hour, and of the tokens of the last day. */
export const redisBytesOf = ({ pcs }: Size): number => {
  const ended = (assumed.sessionsAnHour * endedMemorySec) / hour;
  const tokens = (assumed.sessionsAnHour * assumed.busyHoursADay * ottMemorySec) / day;
  const ofAPc =
    redisBytes.liveSession + ended * redisBytes.endedSession + (tokens - 1) * redisBytes.usedToken;
  return pcs * ofAPc * redisHeadroom;
};

/** Numbers of primaries of a Redis Cluster that divide the shards. */
export const clusterSizes = [4, 8, 16];

/** The fewest primaries of which the busiest has no more to do than it may, and its cores; undefined where no number is enough. */
const fewest = (cores: number, shareOf: (primaries: number) => number) => {
  if (cores <= assumed.redisUtilization) return { primaries: 1, busiest: cores };
  const primaries = clusterSizes.find((count) => cores * shareOf(count) <= assumed.redisUtilization);
  return primaries === undefined ? undefined : { primaries, busiest: cores * shareOf(primaries) };
};

/** Primaries of Redis: with the slots of the shards divided evenly among them, or the slots alone, as a new cluster has them. */
export const primariesOf = ({ cores }: Size) => ({
  placed: fewest(cores.redis, (count) => Math.ceil(shards.length / count) / shards.length),
  even: fewest(cores.redis, evenShare),
});

/** Rows and bytes of Postgres that a day adds: an entry and a confirmation for each session. */
export const ledgerOf = ({ pcs }: Size) => {
  const sessions = pcs * assumed.sessionsAnHour * assumed.busyHoursADay;
  return { rowsADay: 2 * sessions, bytesADay: sessions * (rowBytes.entry + rowBytes.confirmation) };
};

/** Seconds until a lost hot view is whole again: its replicas, as few as there may be, share the log, and each primary takes its own part. */
export const rebuildSecOf = (size: Size): number => {
  const { primaries } = primariesOf(size).placed ?? { primaries: shards.length };
  const ms = Math.max(rebuildMs.replica / leastPods(size, 'game-session'), rebuildMs.redis / primaries);
  return (rebuildMs.alone + size.pcs * ms) / 1000;
};

const postgresOfAPod = maxConnections.read + maxConnections.write;

/** Connections of all pods there may be, in a rollout too: to each broker, to each primary of Redis, to Postgres. */
export const connectionsOf = ({ mostPods }: Size) => {
  const of = (name: ServiceName, ofAPod = 0): number => (mostPods[name] + maxSurge) * ofAPod;
  return {
    kafka: sum(serviceNames.map((name) => of(name, connections.kafka[name]))),
    redis: sum(serviceNames.map((name) => of(name, connections.redis[name]))),
    postgres: of('settlement', postgresOfAPod),
  };
};

const texts = (of: Readonly<Partial<Record<string, number>>>): string =>
  serviceNames.map((name) => of[name] ?? 0).join(' / ');

/** Connections of one pod, of the services in their order. */
export const connectionsOfAPod = {
  kafka: texts(connections.kafka),
  redis: texts(connections.redis),
  postgres: `${maxConnections.write} that write and ${maxConnections.read} that read`,
};

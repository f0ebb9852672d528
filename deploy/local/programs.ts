import { serviceNames } from '#libs/contracts/topics.ts';
import type { ServiceName } from '#libs/contracts/topics.ts';
import { entryOf } from './compile-services.ts';
import type { PostgresLogins } from './postgres-logins.ts';
import type { RedisLogins } from './redis-logins.ts';
import type { Program } from './supervisor.ts';

/** One process of a service: the name of the replica where there are several, and its ports; those without an HTTP API leave theirs unused. */
export interface Replica {
  readonly service: ServiceName;
  readonly replica?: string;
  readonly httpPort: number;
  readonly opsPort: number;
}

/** The addresses and settings of one local stack. */
export interface Addresses {
  readonly brokers: readonly string[];
  /** How each service signs in to Kafka, and where, as settings; nobody does by default. */
  readonly kafkaLogins?: (service: string) => Readonly<Record<string, string>>;
  /** Where Redis is, as settings of a service. */
  readonly redis: Readonly<Record<string, string>>;
  /** How each service signs in to Redis, as settings. */
  readonly redisLogins: RedisLogins['settings'];
  /** Where Postgres is and how settlement signs in, as settings. */
  readonly postgres: PostgresLogins['settlement'];
  readonly catalogFolder: string;
  readonly partner: { readonly url: string; readonly token: string };
  readonly replicas: readonly Replica[];
  /** How many proxies on this machine add to X-Forwarded-For. */
  readonly hops: number;
  /** Limits and other settings that are passed on. */
  readonly settings: Readonly<Record<string, string>>;
}

/** An address of this machine. */
export const localUrl = (port: number): string => `http://127.0.0.1:${port}`;

/** The five services, one process each, on these ports. */
export const oneOfEach = (
  http: Readonly<Record<'launcher' | 'game' | 'settlement', number>>,
  opsPorts: readonly number[],
): Replica[] => {
  const httpPorts: Partial<Record<ServiceName, number>> = {
    ...{ 'launcher-gateway': http.launcher, 'game-session': http.game, settlement: http.settlement },
  };
  return serviceNames.map((service, index) => ({
    service,
    httpPort: httpPorts[service] ?? 0,
    opsPort: opsPorts[index] ?? 0,
  }));
};

/** The five services, so many replicas each; `port` gives a free one. */
export const severalOfEach = async (count: number, port: () => Promise<number>): Promise<Replica[]> => {
  const replicas: Replica[] = [];
  for (const service of serviceNames)
    for (let number = 1; number <= count; number += 1) {
      const ports = { httpPort: await port(), opsPort: await port() };
      replicas.push({ service, replica: `${service}-${number}`, ...ports });
    }
  return replicas;
};

/** A replica keeps its name over restarts, as a container does. */
const commonSettings = ({ brokers }: Addresses, { replica, opsPort }: Replica): Record<string, string> => ({
  KAFKA_BROKERS: brokers.join(','),
  BIND_HOST: '127.0.0.1',
  OPS_PORT: String(opsPort),
  ...(replica !== undefined && { INSTANCE_ID: replica }),
});

const ownSettings = (at: Addresses, httpPort: number): Record<ServiceName, Record<string, string>> => {
  const redis = (service: ServiceName) => ({ ...at.redis, ...at.redisLogins[service] });
  const [http, catalog] = [{ HTTP_PORT: String(httpPort) }, { CATALOG_DIR: at.catalogFolder }];
  const trust = { TRUSTED_HOPS: String(at.hops), TRUSTED_CIDRS: '127.0.0.1/32' };
  return {
    'launcher-gateway': {
      ...{ ...redis('launcher-gateway'), ...http, ...catalog, ...trust },
      SIGNED_AUTHORITIES: '127.0.0.1,localhost',
    },
    ott: redis('ott'),
    'billing-adapter': { PARTNER_URL: at.partner.url, PARTNER_TOKEN: at.partner.token },
    'game-session': { ...redis('game-session'), ...http, ...catalog, ...trust },
    settlement: { ...at.postgres, ...http, ...catalog },
  };
};

/** No replica of a version that knows no packed records is about here, unless the settings say so (D-57). */
const newest = { REDIS_PACKED: 'true' };

/** The processes of the services and their environments, in the order in which data flows. */
export const programs = (root: string, at: Addresses): Program[] =>
  at.replicas.map((each) => ({
    service: each.service,
    ...(each.replica !== undefined && { replica: each.replica }),
    env: {
      ...{ ...newest, ...at.settings, ...commonSettings(at, each) },
      ...ownSettings(at, each.httpPort)[each.service],
      ...at.kafkaLogins?.(each.service),
    },
    entry: entryOf(root, each.service),
    readyUrl: `${localUrl(each.opsPort)}/health/ready`,
  }));

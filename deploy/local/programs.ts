import { join } from 'node:path';
import type { Program } from './supervisor.ts';

/** The addresses and settings of one local stack. */
export interface Addresses {
  readonly brokers: readonly string[];
  readonly redisUrl: string;
  readonly postgresUrl: string;
  readonly catalogFolder: string;
  readonly partner: { readonly url: string; readonly token: string };
  readonly ports: { readonly launcher: number; readonly game: number; readonly settlement: number };
  readonly opsPorts: readonly number[];
  /** Limits and other settings that are passed on. */
  readonly settings: Readonly<Record<string, string>>;
}

const services = ['launcher-gateway', 'ott', 'billing-adapter', 'game-session', 'settlement'] as const;

/** The ops address of the n-th service. */
export const opsUrl = (port: number): string => `http://127.0.0.1:${port}`;

/** The five services and their environments, in the order in which data flows. */
export const programs = (root: string, at: Addresses): Program[] => {
  const redis = { REDIS_URL: at.redisUrl };
  const own: Record<(typeof services)[number], Record<string, string>> = {
    'launcher-gateway': {
      ...redis,
      HTTP_PORT: String(at.ports.launcher),
      CATALOG_DIR: at.catalogFolder,
      TRUSTED_HOPS: '1',
      TRUSTED_CIDRS: '127.0.0.1/32',
    },
    ott: redis,
    'billing-adapter': { PARTNER_URL: at.partner.url, PARTNER_TOKEN: at.partner.token },
    'game-session': { ...redis, HTTP_PORT: String(at.ports.game), CATALOG_DIR: at.catalogFolder },
    settlement: { DATABASE_URL: at.postgresUrl, HTTP_PORT: String(at.ports.settlement) },
  };
  return services.map((service, index) => {
    const opsPort = at.opsPorts[index] ?? 0;
    const common = { KAFKA_BROKERS: at.brokers.join(','), BIND_HOST: '127.0.0.1', OPS_PORT: String(opsPort) };
    const env = { ...at.settings, ...common, ...own[service] };
    return {
      service,
      env,
      entry: join(root, 'services', service, 'main.ts'),
      readyUrl: `${opsUrl(opsPort)}/health/ready`,
    };
  });
};

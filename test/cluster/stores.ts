import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { writeCatalog } from '../../deploy/local/write-catalog.ts';
import { startPostgres } from '../../deploy/local/postgres.ts';
import { freePort } from '../../deploy/local/free-port.ts';
import { until } from '../../deploy/local/progress.ts';
import { startRedis } from '../../deploy/local/redis.ts';
import type { Run } from '../../deploy/local/run.ts';
import { startKafkaWithUsers } from './kafka-with-users.ts';
import type { Place } from './place.ts';

const root = resolve(import.meta.dirname, '../..');

interface PartnerOptions {
  readonly host: string;
  readonly token: string;
  readonly cafes: unknown;
}

const startPartner = async (run: Run, { host, token, cafes }: PartnerOptions): Promise<string> => {
  const port = await freePort(0);
  const url = `http://${host}:${port}`;
  run.start({
    name: 'partner',
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', join(root, 'deploy/simulators/partner/main.ts')],
    env: {
      HTTP_PORT: String(port),
      BIND_HOST: host,
      PARTNER_TOKEN: token,
      PARTNER_CAFES: JSON.stringify(cafes),
    },
    log: run.logOf('partner'),
    wave: 'store',
  });
  await until('the partner', async () => (await fetch(`${url}/health/ready`)).ok);
  return url;
};

/** Kafka, Redis, Postgres and the simulated partner beside the cluster, at an address that pods reach; and the games and cafes to play with. */
export const startStores = async (
  run: Run,
  { GSB_NODE_ADDRESS: host, GSB_CAFE_ADDRESSES: addresses }: Place,
) => {
  const folder = join(run.dir, 'catalog');
  const catalog = writeCatalog(folder);
  const token = randomBytes(16).toString('hex');
  const moved = <T extends { ips: readonly string[] }>(cafes: readonly T[]) =>
    cafes.map((cafe, index) => ({ ...cafe, ips: [addresses[index] ?? ''] }));
  const options = { dir: run.dir, run, host };
  const [kafka, redis, postgres, partner] = await Promise.all([
    startKafkaWithUsers(options),
    startRedis(options),
    startPostgres(options),
    startPartner(run, { host, token, cafes: moved(catalog.partnerCafes) }),
  ]);
  const { games, operatorKey } = catalog;
  return {
    kafka,
    redis,
    postgres,
    partner: { url: partner, token },
    games,
    operatorKey,
    cafes: moved(catalog.cafes),
    folder,
  };
};

/** What the release under test stands on. */
export type Stores = Awaited<ReturnType<typeof startStores>>;

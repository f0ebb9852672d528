import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stackFile } from '#simulators/stack-file.ts';
import type { StackFacts } from '#simulators/stack-file.ts';

const root = resolve(import.meta.dirname, '../..');

const redisOf = ({ url, sentinels, master, cluster }: StackFacts['redis']) => {
  if (cluster) return { REDIS_MODE: 'cluster', REDIS_NODES: cluster.join(',') };
  if (sentinels)
    return { REDIS_MODE: 'sentinel', REDIS_SENTINELS: sentinels.join(','), REDIS_MASTER: master };
  return { REDIS_URL: url };
};

/** The stack that `npm start` runs, as environment variables; none when none runs. */
const fromStack = (path: string, program: string): Record<string, string | undefined> => {
  if (!existsSync(path)) return {};
  const { postgres, kafka, redis, partner, settlement } = stackFile.parse(
    JSON.parse(readFileSync(path, 'utf8')),
  );
  return {
    // Commands of operators have the rights that they have in a cluster.
    DATABASE_URL: (program.startsWith('deploy/operations/') && postgres.closer_url) || postgres.url,
    KAFKA_BROKERS: kafka.brokers.join(','),
    PARTNER_URL: partner.url,
    PARTNER_TOKEN: partner.token,
    ...redisOf(redis),
    OPERATOR_KEY: settlement.operator_key,
    SETTLEMENT_TIME_ZONE: settlement.time_zone,
    CATALOG_DIR: join(dirname(path), 'catalog'),
  };
};

/** Runs a program against the stack of `npm start`; variables that are set already win. */
const [program = '', ...args] = process.argv.slice(2);
for (const [name, value] of Object.entries(fromStack(join(root, '.local/stack.json'), program)))
  if (!process.env[name] && value !== undefined) process.env[name] = value;
const entry = resolve(root, program);
process.argv = [process.argv[0] ?? '', entry, ...args];
await import(pathToFileURL(entry).href);

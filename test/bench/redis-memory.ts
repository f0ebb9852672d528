import { Redis } from 'ioredis';

type Stats = ReadonlyMap<string, unknown>;
const statsOf = (flat: unknown): Stats => {
  const all = Array.isArray(flat) ? (flat as unknown[]) : [];
  return new Map(all.flatMap((name, at) => (at % 2 === 0 ? [[String(name), all[at + 1]] as const] : [])));
};
const bytesAt = (stats: Stats, name: string): number => Number(stats.get(name) ?? 0);

/** The memory of all keys of a Redis, in bytes: with that of the tables that know them and their expiries, which its data set leaves out. */
export const redisBytes = async (url: string): Promise<number> => {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  try {
    const stats = statsOf(await redis.call('MEMORY', 'STATS'));
    const databases = [...stats].filter(([name]) => /^db\.\d+$/.test(name)).map(([, flat]) => statsOf(flat));
    const tables = databases.map(
      (each) => bytesAt(each, 'overhead.hashtable.main') + bytesAt(each, 'overhead.hashtable.expires'),
    );
    return tables.reduce((sum, bytes) => sum + bytes, bytesAt(stats, 'dataset.bytes'));
  } finally {
    redis.disconnect();
  }
};

import { shards } from '#libs/kernel/shards.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { suspendExpiriesScript } from './record-scripts.ts';
import { shardKey } from './shard-key.ts';

/** For how long, in ms. */
const agreedMs = 600_000;

/** An operator agrees to a mass expiry of the records whose keys begin with the prefix, for ten minutes (D-25). Rejects when Redis is away. */
export const agreeToExpiry = async (redis: Redis, prefix: string): Promise<void> => {
  const key = shardKey(prefix);
  await Promise.all(
    shards.map((shard) => suspendExpiriesScript(redis, [key(shard, 'watch')], [agreedMs, 'agreed'])),
  );
};

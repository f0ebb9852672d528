import { shards } from '#libs/kernel/shards.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { suspendExpiriesScript } from './record-scripts.ts';
import { shardKey } from './shard-key.ts';

/** For how long an operator's agreement holds, in ms. */
const agreedMs = 600_000;

/** In every shard of the records whose keys begin with the prefix, for a while: nobody's silence is believed (`suspended`), or a mass expiry is agreed to (D-25). */
export const suspendExpiries = async (
  { redis, prefix }: { readonly redis: Redis; readonly prefix: string },
  field: 'suspended' | 'agreed',
  forMs: number,
): Promise<void> => {
  const key = shardKey(prefix);
  await Promise.all(
    shards.map((shard) => suspendExpiriesScript(redis, [key(shard, 'watch')], [forMs, field])),
  );
};

/** An operator agrees to a mass expiry, for ten minutes (D-25). Rejects when Redis is away. */
export const agreeToExpiry = (redis: Redis, prefix: string): Promise<void> =>
  suspendExpiries({ redis, prefix }, 'agreed', agreedMs);

import { Command } from 'ioredis';
import { shards } from '#libs/kernel/shards.ts';
import { shardKey } from '#libs/records/shard-key.ts';
import { slotCount } from '#libs/redis/cluster-slots.ts';

/** The slot of a key in a Redis Cluster, as the product's client computes it. */
export const slotOf = (key: string): number => new Command('get', [key]).getSlot();

/** The slots that the shards of the hot view are in, of every kind of record, lowest first. */
export const shardSlots: readonly number[] = shards
  .map((shard) => slotOf(shardKey('gsb')(shard, '')))
  .sort((one, other) => one - other);

/** Of an even split of the slots, as `redis-cli --cluster create` makes it: the share of the shards that the busiest primary has. */
export const evenShare = (primaries: number): number => {
  const shardsOf = new Map<number, number>();
  for (const slot of shardSlots) {
    const primary = Math.floor((slot * primaries) / slotCount);
    shardsOf.set(primary, (shardsOf.get(primary) ?? 0) + 1);
  }
  return Math.max(...shardsOf.values()) / shards.length;
};

/** The last slot of each primary where each has as many shards; `primaries` divides their number. */
export const placedSlots = (primaries: number): number[] => {
  const each = shards.length / primaries;
  const lasts = Array.from({ length: primaries - 1 }, (_, at) => shardSlots[(at + 1) * each - 1] ?? 0);
  return [...lasts, slotCount - 1];
};

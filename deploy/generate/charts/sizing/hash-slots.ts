import { shards } from '#libs/kernel/shards.ts';
import { shardKey } from '#libs/records/shard-key.ts';

/** Slots of every Redis Cluster. */
export const slotCount = 16_384;
const [polynomial, topBit, allBits] = [0x1021, 0x8000, 0xffff];

const crc16 = (text: string): number =>
  [...Buffer.from(text)].reduce((sum, byte) => {
    let crc = sum ^ (byte << 8);
    for (let bit = 0; bit < 8; bit += 1) crc = crc & topBit ? (crc << 1) ^ polynomial : crc << 1;
    return crc & allBits;
  }, 0);

/** The slot of a key in a Redis Cluster: CRC16 (XMODEM) of its hash tag, or of all of it. */
export const slotOf = (key: string): number => crc16(/\{([^}]+)\}/.exec(key)?.[1] ?? key) % slotCount;

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

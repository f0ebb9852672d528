import { murmur2 } from '#libs/kernel/murmur2.ts';

/** The partition of a key among so many: as every Kafka client chooses it by default. */
export const partitionOfKey = (key: string | Buffer, partitions: number): number =>
  (murmur2(typeof key === 'string' ? Buffer.from(key) : key) & 0x7fffffff) % partitions;

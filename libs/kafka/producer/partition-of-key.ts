import { murmur2 } from '#libs/kernel/murmur2.ts';
import { pinOf } from '#libs/kernel/partition-pins.ts';

/** What decides the partition of an event, however many there are. It is found when the event is encoded, and kept with it: that costs ten times as much as the question itself. */
export interface Placed {
  readonly keyHash: number;
  /** Among how many partitions an id has its events divided (D-63); undefined: among those of the moment. */
  readonly pin: number | undefined;
  /** The partition in whose queue it waits: it goes there while the topic has it, so that no other request carries records of it meanwhile. */
  queuedIn?: number | undefined;
}

const hashOf = (key: string | Buffer): number =>
  murmur2(typeof key === 'string' ? Buffer.from(key) : key) & 0x7fffffff;

/** `pinnedBy`: the id that tells among how many partitions, which is the key where nothing else is. */
export const placedBy = (key: string | Buffer, pinnedBy = key.toString()): Placed => ({
  keyHash: hashOf(key),
  pin: pinOf(pinnedBy),
});

/** The partition of a key among so many: as every Kafka client chooses it by default. */
export const partitionOfKey = (key: string | Buffer, partitions: number): number => hashOf(key) % partitions;

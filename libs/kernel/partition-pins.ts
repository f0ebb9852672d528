import { murmur2 } from './murmur2.ts';
import { uuidAtEnd } from './uuid.ts';

/**
 * Some UUIDs tell among how many partitions their events are divided, so that those of a launcher session, and those of a game session, stay
 * in the partition in which they began when topics grow (D-63). Of the last ten digits three are that count and seven a check of the digits
 * before them but the first, which may become that of a shard; of 268 million UUIDs without a pin one seems to have one.
 */
const pinDigits = 10;
const countDigits = 3;
const checkedFrom = -35;
const checkBits = 0xfffffff;

/** The largest count that a UUID can tell. */
export const mostPartitions = 0xfff;

/** The check of a UUID, before which something may stand, that lacks its last seven digits. */
const checkOf = (digits: string): number => murmur2(Buffer.from(digits, 'latin1')) & checkBits;

/** Whether a UUID can tell this as a count of partitions. */
export const isPin = (partitions: unknown): partitions is number =>
  Number.isInteger(partitions) && Number(partitions) >= 1 && Number(partitions) <= mostPartitions;

/**
 * A UUID that tells a count of partitions: its last digits make way. What is packed in Redis is read with this (D-57): who changes it misreads
 * that. Throws RangeError for a count that it cannot tell.
 */
export const withPin = (id: string, partitions: number): string => {
  if (!isPin(partitions)) throw new RangeError(`an id cannot tell ${String(partitions)} partitions`);
  const count = partitions.toString(16).padStart(countDigits, '0');
  const check = checkOf(id.slice(checkedFrom, -pinDigits) + count);
  return id.slice(0, -pinDigits) + count + check.toString(16).padStart(pinDigits - countDigits, '0');
};

/** The count of partitions that an id tells, which ends with a UUID; undefined for one that tells none. */
export const pinOf = (id: string): number | undefined => {
  if (!uuidAtEnd.test(id)) return undefined;
  const checkAt = id.length - pinDigits + countDigits;
  if (Number.parseInt(id.slice(checkAt), 16) !== checkOf(id.slice(checkedFrom, checkAt))) return undefined;
  return Number.parseInt(id.slice(-pinDigits, checkAt), 16) || undefined;
};

/** An id that tells what another one tells: as it is where that tells nothing. */
export const pinnedAs = (id: string, other: string): string => {
  const partitions = pinOf(other);
  return partitions === undefined ? id : withPin(id, partitions);
};

/** Whether two UUIDs are one, whatever they tell of partitions. */
export const isSameButForPin = (one: string, other: string): boolean =>
  one.slice(0, -pinDigits) === other.slice(0, -pinDigits);

/** Makes ids. */
export interface Ids {
  uuid(): string;
  /** The UUID, telling among how many partitions the events are divided of what it is the id of. */
  pinned(uuid: string): string;
}

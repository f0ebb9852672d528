import type { Redis } from 'ioredis';
import { z } from 'zod';

/** How many hash slots a Redis Cluster has. */
export const slotCount = 16_384;

/** A server of a cluster, as its clients reach it. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** An address in text, `host:port`. */
export const addressText = ({ host, port }: Address): string => `${host}:${port}`;

/** The primary of each hash slot. */
export interface SlotTable {
  readonly primaries: readonly Address[];
  primaryOf(slot: number): Address | undefined;
}

/** First and last slot, and the primary first among the servers that have them. */
const slotRanges = z.array(
  z.tuple([z.int(), z.int(), z.tuple([z.string().nullable(), z.int()], z.unknown())], z.unknown()),
);

/** A server that does not know a host says none, or `?`: it is the one that was asked. */
const hostOf = (host: string | null, asked: Address): string =>
  host === null || host === '' || host === '?' ? asked.host : host;

/** What a server of the cluster says about the slots. Rejects while a slot has no primary: the cluster answers nothing then. */
export const readSlots = async (server: Redis, asked: Address): Promise<SlotTable> => {
  const ranges = slotRanges.parse(await server.cluster('SLOTS'));
  const primaries = new Map<string, Address>();
  const bySlot = new Array<Address | undefined>(slotCount);
  for (const [first, last, [host, port]] of ranges) {
    const address = { host: hostOf(host, asked), port };
    const known = primaries.get(addressText(address)) ?? address;
    primaries.set(addressText(address), known);
    bySlot.fill(known, first, last + 1);
  }
  if (bySlot.includes(undefined)) throw new Error('some hash slots of the Redis Cluster have no server');
  return { primaries: [...primaries.values()], primaryOf: (slot) => bySlot[slot] };
};

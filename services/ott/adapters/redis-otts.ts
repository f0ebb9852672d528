import { z } from 'zod';
import { sha256 } from '#libs/contracts/fields.ts';
import { fromWire, toWire } from '#libs/contracts/wire.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { shardOfPc } from '#libs/kernel/shards.ts';
import { createRecordStore } from '#libs/records/record-store.ts';
import type { RecordStore, TrustedServer } from '#libs/records/record-types.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { orUnavailable } from '#libs/redis/unavailable.ts';
import { holdsSeat, isOver, seatOf } from '../core/ott.ts';
import type { Ott } from '../core/ott.ts';
import type { Ports } from '../ports.ts';
import { ottForm } from './ott-form.ts';
import { redisConsume } from './redis-consume.ts';

const sealedSchema = z.object({ token_hash: sha256, sealed_token: z.base64() });
const firstDigit = (tokenHash: string) => tokenHash.charAt(0);
const sealedKey = (ottRequestId: string) => `gsb:ott:sealed:${ottRequestId}`;
/** Tokens can be presented for minutes, and requests redelivered a little longer. */
const sealedKeptForSec = 3_600;

/** What the Redis keys of tokens begin with. */
export const ottsPrefix = 'gsb:ott';

interface Options {
  readonly trust?: TrustedServer;
  /** Whether records are written packed (D-57). */
  readonly packs: boolean;
}

const undecided = async () => undefined;

/** Tokens in Redis under their hash, and of each PC and game the one that a newer one voids. */
export const redisOtts = (
  redis: Redis,
  limits: Pick<Limits, 'ottMemorySec'>,
  { trust, packs }: Options,
): Ports['otts'] & Pick<RecordStore<Ott>, 'due' | 'postpone'> => {
  const inRedis = { redis, prefix: ottsPrefix, trust, shardOf: firstDigit };
  const { read, update, due, postpone, restore } = createRecordStore<Ott>({
    ...inRedis,
    ...ottForm,
    packs,
    idOf: ({ tokenHash }) => tokenHash,
    ownerOf: seatOf,
    holdsSeat,
    shardOfOwner: shardOfPc,
    ...{ amnestyMs: 0, heartbeatMs: 0 },
    lingers: isOver,
    stands: ({ state }) => state === 'consumed',
  });
  return {
    read,
    update,
    due,
    postpone,
    restore,
    // A script that kept packed tokens packed would hide them from the version that a rollback brings (D-57).
    consume: packs ? redisConsume(inRedis, limits) : undecided,
    sealedOnce: async (ottRequestId, made) => {
      const json = JSON.stringify(toWire(made));
      const earlier = await redis
        .set(sealedKey(ottRequestId), json, 'EX', sealedKeptForSec, 'NX', 'GET')
        .catch(orUnavailable);
      return earlier === null ? made : fromWire(sealedSchema, JSON.parse(earlier));
    },
  };
};

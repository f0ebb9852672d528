import { z } from 'zod';
import { ottRecord } from '#libs/contracts/events/otts.ts';
import { sha256 } from '#libs/contracts/fields.ts';
import { fromWire, toWire } from '#libs/contracts/wire.ts';
import { shardOfPc } from '#libs/kernel/shards.ts';
import { createRecordStore } from '#libs/records/record-store.ts';
import type { RecordStore, TrustedServer } from '#libs/records/record-types.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { orUnavailable } from '#libs/redis/unavailable.ts';
import type { Ott } from '../core/ott.ts';
import type { Ports } from '../ports.ts';

const latestSchema = z.object({ token_hash: sha256, ott_request_id: z.uuid(), sealed_token: z.base64() });
const firstDigit = (tokenHash: string) => tokenHash.charAt(0);
const latestKey = (pcId: string, gameId: string) => `gsb:ott:{${shardOfPc(pcId)}}:latest:${pcId}/${gameId}`;
/** Tokens can be presented for minutes, and requests redelivered a little longer. */
const latestKeptForSec = 3_600;

/** What the Redis keys of tokens begin with. */
export const ottsPrefix = 'gsb:ott';

/** Tokens in Redis under their hash, and the newest of each PC and game. */
export const redisOtts = (
  redis: Redis,
  trust?: TrustedServer,
): Ports['otts'] & Pick<RecordStore<Ott>, 'due' | 'postpone'> => {
  const { read, update, due, postpone, restore } = createRecordStore({
    redis,
    prefix: ottsPrefix,
    trust,
    parse: (json) => fromWire(ottRecord, json),
    idOf: ({ tokenHash }) => tokenHash,
    ownerOf: ({ tokenHash }) => tokenHash,
    shardOf: firstDigit,
    shardOfOwner: firstDigit,
    amnestyMs: 0,
  });
  return {
    read,
    update,
    due,
    postpone,
    restore,
    latest: async (pcId, gameId) => {
      const json = await redis.get(latestKey(pcId, gameId)).catch(orUnavailable);
      return json === null ? undefined : fromWire(latestSchema, JSON.parse(json));
    },
    setLatest: async (pcId, gameId, latest) => {
      const json = JSON.stringify(toWire(latest));
      await redis.set(latestKey(pcId, gameId), json, 'EX', latestKeptForSec).catch(orUnavailable);
    },
  };
};

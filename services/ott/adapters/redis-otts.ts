import { z } from 'zod';
import { ottRecord } from '#libs/contracts/events/otts.ts';
import { sha256 } from '#libs/contracts/fields.ts';
import { fromWire, toWire } from '#libs/contracts/wire.ts';
import { shardOfPc } from '#libs/kernel/shards.ts';
import { packing } from '#libs/records/packing.ts';
import { createRecordStore } from '#libs/records/record-store.ts';
import type { RecordForm, RecordStore, TrustedServer } from '#libs/records/record-types.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { orUnavailable } from '#libs/redis/unavailable.ts';
import { holdsSeat, isOver, seatOf } from '../core/ott.ts';
import type { Ott } from '../core/ott.ts';
import type { Ports } from '../ports.ts';

const sealedSchema = z.object({ token_hash: sha256, sealed_token: z.base64() });
const firstDigit = (tokenHash: string) => tokenHash.charAt(0);
const sealedKey = (ottRequestId: string) => `gsb:ott:sealed:${ottRequestId}`;
/** Tokens can be presented for minutes, and requests redelivered a little longer. */
const sealedKeptForSec = 3_600;

/** What the Redis keys of tokens begin with. */
export const ottsPrefix = 'gsb:ott';

/** Tokens as hashes of Redis. */
export const ottForm: RecordForm<Ott> = {
  parse: (wire) => fromWire(ottRecord, wire),
  packing: packing({
    texts: {
      state: 's',
      cafe_id: 'c',
      traceparent: 'x',
      'claim.provider_user_id': 'u',
      'claim.presented_event_id': 'y',
      'claim.outage_policy': 'q',
      voids: 'v',
    },
    uuids: {
      ott_request_id: 'r',
      launcher_session_id: 'l',
      'claim.presentation_id': 'p',
      'claim.game_session_id': 'j',
    },
    truths: { is_pc_cafe: 'i' },
    numbers: {
      issued_at_ms: 'b',
      expires_at_ms: 'e',
      deadline_at_ms: 'd',
      given_back_until_ms: 'z',
      'claim.claimed_at_ms': 'h',
      'claim.deadline_ms': 'w',
    },
    lists: { given_back_event_ids: 'n' },
  }),
  told: (tokenHash, seat) => {
    const [pcId, gameId] = seat.split('/');
    return { token_hash: tokenHash, pc_id: pcId, game_id: gameId };
  },
};

interface Options {
  readonly trust?: TrustedServer;
  /** Whether records are written packed (D-57). */
  readonly packs: boolean;
}

/** Tokens in Redis under their hash, and of each PC and game the one that a newer one voids. */
export const redisOtts = (
  redis: Redis,
  { trust, packs }: Options,
): Ports['otts'] & Pick<RecordStore<Ott>, 'due' | 'postpone'> => {
  const { read, update, due, postpone, restore } = createRecordStore<Ott>({
    redis,
    prefix: ottsPrefix,
    trust,
    ...ottForm,
    packs,
    idOf: ({ tokenHash }) => tokenHash,
    ownerOf: seatOf,
    holdsSeat,
    shardOf: firstDigit,
    shardOfOwner: shardOfPc,
    amnestyMs: 0,
    lingers: isOver,
  });
  return {
    read,
    update,
    due,
    postpone,
    restore,
    sealedOnce: async (ottRequestId, made) => {
      const json = JSON.stringify(toWire(made));
      const earlier = await redis
        .set(sealedKey(ottRequestId), json, 'EX', sealedKeptForSec, 'NX', 'GET')
        .catch(orUnavailable);
      return earlier === null ? made : fromWire(sealedSchema, JSON.parse(earlier));
    },
  };
};

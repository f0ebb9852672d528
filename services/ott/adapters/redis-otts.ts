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
import { isOver } from '../core/ott.ts';
import type { Ott } from '../core/ott.ts';
import type { Ports } from '../ports.ts';

const latestSchema = z.object({ token_hash: sha256, ott_request_id: z.uuid(), sealed_token: z.base64() });
const firstDigit = (tokenHash: string) => tokenHash.charAt(0);
const latestKey = (pcId: string, gameId: string) => `gsb:ott:{${shardOfPc(pcId)}}:latest:${pcId}/${gameId}`;
/** Tokens can be presented for minutes, and requests redelivered a little longer. */
const latestKeptForSec = 3_600;

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
      pc_id: 'm',
      game_id: 'g',
    },
    uuids: {
      ott_request_id: 'r',
      launcher_session_id: 'l',
      'claim.presentation_id': 'p',
      'claim.game_session_id': 'j',
    },
    flags: { is_pc_cafe: 'i' },
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
  told: (tokenHash) => ({ token_hash: tokenHash }),
};

interface Options {
  readonly trust?: TrustedServer;
  /** False: records are written as JSON (D-57). */
  readonly packs?: boolean;
}

/** Tokens in Redis under their hash, and the newest of each PC and game. */
export const redisOtts = (
  redis: Redis,
  { trust, packs = true }: Options = {},
): Ports['otts'] & Pick<RecordStore<Ott>, 'due' | 'postpone'> => {
  const { read, update, due, postpone, restore } = createRecordStore<Ott>({
    redis,
    prefix: ottsPrefix,
    trust,
    ...ottForm,
    packs,
    idOf: ({ tokenHash }) => tokenHash,
    ownerOf: ({ tokenHash }) => tokenHash,
    shardOf: firstDigit,
    shardOfOwner: firstDigit,
    amnestyMs: 0,
    lingers: isOver,
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

import type { Redis } from 'ioredis';
import { z } from 'zod';
import { unavailable } from '#libs/contracts/errors.ts';
import { ottRecord } from '#libs/contracts/events/otts.ts';
import { sha256 } from '#libs/contracts/fields.ts';
import { fromWire, toWire } from '#libs/contracts/wire.ts';
import { shardOfPc } from '#libs/kernel/shards.ts';
import { createRecordStore } from '#libs/records/record-store.ts';
import type { TrustedServer } from '#libs/records/hot-view.ts';
import type { Latest, Ports } from '../ports.ts';

const latestSchema = z.object({ token_hash: sha256, ott_request_id: z.uuid(), sealed_token: z.base64() });
const firstDigit = (tokenHash: string) => tokenHash.charAt(0);
const latestKey = (pcId: string) => `gsb:ott:{${shardOfPc(pcId)}}:latest`;

const orUnavailable = (error: unknown): never => {
  throw unavailable(error);
};

/** What stands before the keys of tokens. */
export const ottsPrefix = 'gsb:ott';

/** Tokens in Redis, under their hash, and the newest of each PC and game; with the ids whose deadline has passed. */
export const redisOtts = (
  redis: Redis,
  trust?: TrustedServer,
): Ports['otts'] & { due(bite: number): Promise<string[]> } => {
  const records = createRecordStore({
    redis,
    prefix: ottsPrefix,
    trust,
    schema: ottRecord,
    shardOf: firstDigit,
    shardOfOwner: firstDigit,
    amnestyMs: 0,
  });
  return {
    due: records.due,
    restore: async (known) => {
      const all = known.map((ott) => ({ id: ott.tokenHash, owner: ott.tokenHash, record: ott }));
      await records.merge(all);
    },
    look: async (tokenHash) => {
      const { nowMs, record } = await records.look(tokenHash);
      return { nowMs, ott: record };
    },
    commit: (tokenHash, before, after) =>
      records.commit([{ id: tokenHash, owner: tokenHash, before, after }]),
    latest: async (pcId, gameId): Promise<Latest | undefined> => {
      const json = await redis.hget(latestKey(pcId), `${pcId}/${gameId}`).catch(orUnavailable);
      return json === null ? undefined : fromWire(latestSchema, JSON.parse(json));
    },
    setLatest: async (pcId, gameId, latest) => {
      const json = JSON.stringify(toWire(latest));
      await redis.hset(latestKey(pcId), `${pcId}/${gameId}`, json).catch(orUnavailable);
    },
  };
};

import { fromWire } from '#libs/contracts/wire.ts';
import { createRecordStore } from '#libs/records/record-store.ts';
import type { RecordStore } from '#libs/records/record-types.ts';
import type { Redis } from '#libs/redis/connection.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { shardOfPc } from '#libs/kernel/shards.ts';
import { launcherSession } from '../core/launcher-session.ts';
import type { LauncherSession } from '../core/launcher-session.ts';

/** Launcher sessions in Redis. An id begins with the shard of its PC. */
export const redisLauncherSessions = (redis: Redis, limits: Limits): RecordStore<LauncherSession> =>
  createRecordStore({
    redis,
    prefix: 'gsb:launcher',
    parse: (json) => fromWire(launcherSession, json),
    idOf: ({ id }) => id,
    ownerOf: ({ pcId }) => pcId,
    shardOf: (id) => id.charAt(0),
    shardOfOwner: shardOfPc,
    amnestyMs: limits.launcherSilenceSec * 1000,
    holdsSeat: ({ state }) => state === 'live',
  });

import { fromWire } from '#libs/contracts/wire.ts';
import { createRecordStore } from '#libs/records/record-store.ts';
import type { Redis } from '#libs/redis/connection.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { shardOfPc } from '#libs/kernel/shards.ts';
import { launcherSession } from '../core/launcher-session.ts';
import type { Ports } from '../ports.ts';

const shardOf = (id: string) => id.charAt(0);

/** Launcher sessions in Redis. An id begins with the shard of its PC. */
export const redisLauncherSessions = (
  redis: Redis,
  limits: Limits,
): Ports['sessions'] & { due(batchSize: number): Promise<string[]> } => {
  const records = createRecordStore({
    redis,
    prefix: 'gsb:launcher',
    parse: (json) => fromWire(launcherSession, json),
    idOf: ({ id }) => id,
    ownerOf: ({ pcId }) => pcId,
    shardOf,
    shardOfOwner: shardOfPc,
    amnestyMs: limits.launcherSilenceSec * 1000,
    holdsSeat: ({ state }) => state === 'live',
  });
  return {
    due: records.due,
    look: async (id, pcId) => {
      const { record, ...rest } = await records.read(id, pcId);
      return { ...rest, session: record };
    },
    commit: records.commit,
  };
};

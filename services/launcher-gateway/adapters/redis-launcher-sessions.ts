import type { Redis } from 'ioredis';
import { unavailable } from '#libs/contracts/errors.ts';
import { createRecordStore } from '#libs/records/record-store.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { shardOfPc } from '#libs/kernel/shards.ts';
import { launcherSession } from '../core/launcher-session.ts';
import type { LauncherChange, Ports } from '../ports.ts';

const knownForSec = 60;
const nonceForMs = 660_000;

const changeOf = ({ before, after, ...seat }: LauncherChange) => {
  const { id = '', pcId: owner = '' } = after ?? before ?? {};
  return { id, owner, before, after, ...seat };
};

const orUnavailable = (error: unknown): never => {
  throw unavailable(error);
};

/** Launcher sessions in Redis. An id begins with the shard of its PC. */
export const redisLauncherSessions = (
  redis: Redis,
  limits: Limits,
): Ports['sessions'] & { due(bite: number): Promise<string[]> } => {
  const shardOf = (id: string) => id.charAt(0);
  const records = createRecordStore({
    redis,
    prefix: 'gsb:launcher',
    schema: launcherSession,
    shardOf,
    shardOfOwner: shardOfPc,
    amnestyMs: limits.launcherSilenceSec * 1000,
  });
  return {
    due: records.due,
    look: async (id, pcId) => {
      const { nowMs, record, holder, amnestyUntilMs } = await records.look(id, pcId);
      return { nowMs, session: record, holder, amnestyUntilMs };
    },
    commit: (changes) => records.commit(changes.map(changeOf)),
  };
};

/** Which cafe an address belonged to a moment ago. */
export const redisCafes = (redis: Redis): Ports['cafes'] => ({
  remembered: async (ip) => (await redis.get(`gsb:cafe:{${ip}}`).catch(orUnavailable)) ?? undefined,
  remember: async (ip, cafeId) => {
    await redis.set(`gsb:cafe:{${ip}}`, cafeId, 'EX', knownForSec).catch(orUnavailable);
  },
});

/** Whether a nonce of a key is heard for the first time within twice the window, and a minute for clocks that differ (D-14). Throws UNAVAILABLE: closed when in doubt. */
export const redisNonces =
  (redis: Redis) =>
  async (keyId: string, nonce: string): Promise<boolean> => {
    const first = await redis
      .set(`gsb:nonce:{${keyId}}:${nonce}`, '1', 'PX', nonceForMs, 'NX')
      .catch(orUnavailable);
    return first === 'OK';
  };

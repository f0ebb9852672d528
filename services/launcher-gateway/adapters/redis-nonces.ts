import type { Redis } from '#libs/redis/connection.ts';
import { orUnavailable } from '#libs/redis/unavailable.ts';

/** Twice the signature's window of 300 s, and a minute for clocks that differ (D-14). */
const keptForMs = 660_000;

/** Uses up a nonce of a key; false when it was used before. Rejects with UNAVAILABLE when Redis cannot tell, so that no request gets in twice. */
export const redisNonces =
  (redis: Redis) =>
  async (keyId: string, nonce: string): Promise<boolean> => {
    const first = await redis
      .set(`gsb:nonce:{${keyId}}:${nonce}`, '1', 'PX', keptForMs, 'NX')
      .catch(orUnavailable);
    return first === 'OK';
  };

import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';

const everyMs = 50;

/**
 * Asks Redis again and again while something is done; resolves to its result, and to how long Redis was silent at most, in ms. A machine that
 * has no core for Redis, or for who asks, makes it silent: whoever asks it then is answered 503 (D-23), whatever else is done meanwhile.
 */
export const silenceDuring = async <T>(
  url: string,
  work: () => Promise<T>,
): Promise<{ done: T; silentMs: number }> => {
  const redis = new Redis(url);
  let [silentMs, over] = [0, false];
  const asking = (async () => {
    while (!over) {
      const asked = performance.now();
      await redis.ping();
      silentMs = Math.max(silentMs, performance.now() - asked);
      await pause(everyMs);
    }
  })();
  try {
    return { done: await work(), silentMs };
  } finally {
    over = true;
    await asking.finally(() => redis.disconnect());
  }
};

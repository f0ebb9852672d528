import { Redis } from 'ioredis';

/** The memory of all keys of a Redis, in bytes. */
export const redisBytes = async (url: string): Promise<number> => {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  try {
    const [, bytes = '0'] = /used_memory_dataset:(\d+)/.exec(await redis.info('memory')) ?? [];
    return Number(bytes);
  } finally {
    redis.disconnect();
  }
};

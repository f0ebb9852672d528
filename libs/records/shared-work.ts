import { z } from 'zod';
import type { Redis } from '#libs/redis/connection.ts';
import { sleep } from '#libs/runtime/wait.ts';

const lockMs = 5_000;
const renewLockEveryMs = 1_000;
const pauseMs = 200;
const forgetAfterMs = 3_600_000;

const result = z.record(z.string(), z.number());

/** What became of a part, in numbers that its worker names. */
export type PartResult = z.output<typeof result>;
type Work = (part: string) => Promise<PartResult>;

/** Work that several replicas share: each part is done by one of them. */
export interface SharedWork {
  /**
   * Does the parts that no other replica does or has done, one after another; resolves, when all parts are done, to what became of each,
   * whichever replica did it. Rejects with what `work` threw, with the error of Redis, or when the signal aborts.
   */
  each(parts: readonly string[], work: Work): Promise<ReadonlyMap<string, PartResult>>;
}

interface SharedWorkOptions {
  readonly redis: Redis;
  /** Of the keys in Redis: `name` is that of the work, with an identity of its own for each time that it is done anew. */
  readonly name: string;
  readonly instance: string;
  readonly signal: AbortSignal;
}

/** Does work while holding a lock, which expires when the replica dies; resolves to whether this replica has done it. */
const underLock = async (
  { redis, instance }: SharedWorkOptions,
  lock: string,
  work: () => Promise<void>,
): Promise<boolean> => {
  if ((await redis.set(lock, instance, 'PX', lockMs, 'NX')) === null) return false;
  const renew = setInterval(() => void redis.pexpire(lock, lockMs).catch(() => undefined), renewLockEveryMs);
  try {
    await work();
    return true;
  } finally {
    clearInterval(renew);
    await redis.del(lock).catch(() => undefined);
  }
};

/** Shares work over Redis. Two replicas may do the same part when one of them was paused for longer than the lock: parts must be idempotent. */
export const createSharedWork = (options: SharedWorkOptions): SharedWork => {
  const { redis, name, signal } = options;
  const doPart = (part: string, work: Work): Promise<boolean> =>
    underLock(options, `${name}:${part}`, async () => {
      // Another replica may have done it since this one looked.
      if ((await redis.hexists(name, part)) === 1) return;
      const done = await work(part);
      // Who was paused for longer than the lock does not overwrite what another replica has done meanwhile.
      await redis.hsetnx(name, part, JSON.stringify(done));
      await redis.pexpire(name, forgetAfterMs);
    });
  const doOne = async (parts: readonly string[], work: Work): Promise<boolean> => {
    for (const part of parts) if (await doPart(part, work)) return true;
    return false;
  };
  return {
    each: async (parts, work) => {
      for (;;) {
        signal.throwIfAborted();
        const done = await redis.hgetall(name);
        const open = parts.filter((part) => done[part] === undefined);
        if (open.length === 0)
          return new Map(parts.map((part) => [part, result.parse(JSON.parse(done[part] ?? ''))]));
        if (!(await doOne(open, work))) await sleep(pauseMs, signal);
      }
    },
  };
};

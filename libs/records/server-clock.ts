/** What the clocks of the servers say, as this process knows it from their last answers: of each shard, because each may be on another one. */
export interface ServerClocks {
  /** To be called when an answer has come: when it was asked for, by the monotonic clock of this process, and what the server's clock said. */
  learn(shard: string, sentAtMs: number, serverMs: number): void;
  /** The instant now, in whole ms since the epoch: not later than it is there; earlier by what an answer needs. Undefined before the first. */
  earliestNow(shard: string): number | undefined;
  /** The instant at a moment of the monotonic clock: not earlier than it is there. Undefined before the first answer. */
  latestAt(shard: string, atMs: number): number | undefined;
}

/** By how much a server's clock is ahead of the monotonic one at least and at most, in ms. */
interface Ahead {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** Knows nothing of clocks that are set: whoever trusts an instant has it compared by the server. */
export const createServerClocks = (now: () => number = () => performance.now()): ServerClocks => {
  const ahead = new Map<string, Ahead>();
  return {
    learn: (shard, sentAtMs, serverMs) =>
      void ahead.set(shard, { leastMs: serverMs - now(), mostMs: serverMs - sentAtMs }),
    earliestNow: (shard) => {
      const known = ahead.get(shard);
      return known && Math.floor(now() + known.leastMs);
    },
    latestAt: (shard, atMs) => {
      const known = ahead.get(shard);
      return known && Math.ceil(atMs + known.mostMs);
    },
  };
};

/** What the clocks of the servers say, as this process knows it by their last answers: of each shard, because each may be on another one. */
export interface ServerClocks {
  /** To be called when an answer has come that tells what the server's clock said, in ms since the epoch. */
  learn(shard: string, serverMs: number): void;
  /** The instant there at a moment of the monotonic clock of this process (now by default), in whole ms since the epoch: not later than it is, earlier by what the last answer needed. Undefined before the first. */
  earliestAt(shard: string, atMs?: number): number | undefined;
}

/** Knows nothing of clocks that are set, or of answers that were heard late: whoever supposes an instant has it compared by the server. */
export const createServerClocks = (now: () => number = () => performance.now()): ServerClocks => {
  const aheadMs = new Map<string, number>();
  return {
    learn: (shard, serverMs) => void aheadMs.set(shard, serverMs - now()),
    earliestAt: (shard, atMs = now()) => {
      const known = aheadMs.get(shard);
      return known === undefined ? undefined : Math.floor(atMs + known);
    },
  };
};

import { sleep } from '#libs/runtime/wait.ts';

/** Items that wait or are in flight: a partner that is slow to renew must not hold up what else is consumed (D-27). */
export const maxInHand = 800;
/** A batch waits no longer than this for the one before it. */
const maxLingerMs = 250;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly done: (result: Result | undefined) => void;
}

/**
 * Sends items in batches of at most `batchSize`: while one batch is in flight, for 250 ms at most, items are collected for the next. An item
 * that finds 800 others in hand gets undefined. `send` returns a result for every item, in order, and never throws.
 */
export const createBatcher = <Item, Result>(
  batchSize: number,
  send: (items: readonly Item[]) => Promise<readonly Result[]>,
): ((item: Item) => Promise<Result | undefined>) => {
  const waiting: Waiting<Item, Result>[] = [];
  let [inHand, draining] = [0, false];
  const sendNext = async () => {
    const batch = waiting.splice(0, batchSize);
    const results = await send(batch.map(({ item }) => item));
    inHand -= batch.length;
    batch.forEach(({ done }, index) => done(results[index]));
  };
  const drain = async () => {
    draining = true;
    while (waiting.length > 0) {
      const answered = new AbortController();
      const sent = sendNext().finally(() => answered.abort());
      await Promise.race([sent, sleep(maxLingerMs, answered.signal)]);
    }
    draining = false;
  };
  return (item) =>
    new Promise((resolve) => {
      if (inHand >= maxInHand) return resolve(undefined);
      inHand += 1;
      waiting.push({ item, done: resolve });
      if (!draining) void drain();
    });
};

import { sleep } from '#libs/runtime/wait.ts';

const mostWaiting = 10_000;
/** A batch waits no longer for the one before it. */
const patienceMs = 250;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly done: (result: Result | undefined) => void;
}

/**
 * Gathers items while a batch is on its way, for 250 ms at most, and sends what came meanwhile in the next, at most `most` at a time. An
 * item that finds the queue full gets undefined. `send` answers for every item, in order, and never throws.
 */
export const createBatcher = <Item, Result>(
  most: number,
  send: (items: readonly Item[]) => Promise<readonly Result[]>,
): ((item: Item) => Promise<Result | undefined>) => {
  const waiting: Waiting<Item, Result>[] = [];
  let draining = false;
  const sendNext = async () => {
    const batch = waiting.splice(0, most);
    const results = await send(batch.map(({ item }) => item));
    batch.forEach(({ done }, index) => done(results[index]));
  };
  const drain = async () => {
    draining = true;
    while (waiting.length > 0) {
      const answered = new AbortController();
      const sent = sendNext().finally(() => answered.abort());
      await Promise.race([sent, sleep(patienceMs, answered.signal)]);
    }
    draining = false;
  };
  return (item) =>
    new Promise((resolve) => {
      if (waiting.length >= mostWaiting) return resolve(undefined);
      waiting.push({ item, done: resolve });
      if (!draining) void drain();
    });
};

const mostWaiting = 10_000;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly done: (result: Result | undefined) => void;
}

/**
 * Gathers items while one batch is on its way and sends what came meanwhile in the next, at most `most` at a time. An item that finds the
 * queue full gets undefined. `send` answers for every item, in order, and never throws.
 */
export const createBatches = <Item, Result>(
  most: number,
  send: (items: readonly Item[]) => Promise<readonly Result[]>,
): ((item: Item) => Promise<Result | undefined>) => {
  const waiting: Waiting<Item, Result>[] = [];
  let sending = false;
  const drain = async () => {
    sending = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, most);
      const results = await send(batch.map(({ item }) => item));
      batch.forEach(({ done }, index) => done(results[index]));
    }
    sending = false;
  };
  return (item) =>
    new Promise((resolve) => {
      if (waiting.length >= mostWaiting) return resolve(undefined);
      waiting.push({ item, done: resolve });
      if (!sending) void drain();
    });
};

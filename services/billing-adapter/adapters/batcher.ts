const usualLingerMs = 250;

/**
 * How many items a batch holds, and how many batches are in flight at once. One that is not full waits no longer than `lingerMs` for the one
 * before it.
 */
export interface BatchBounds {
  readonly size: number;
  readonly inFlight: number;
  readonly lingerMs?: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly done: (result: Result | undefined) => void;
}

/**
 * Sends items in batches. Those of one turn of the event loop leave together; while a batch is in flight, for 250 ms at most, items are
 * collected for the next, which leaves at once when it is full. At most as many items are in hand, in flight or waiting, as all batches in
 * flight can hold, so that each leaves as soon as those in flight now are answered, or earlier; an item beyond gets undefined. `send` returns
 * a result for every item, in order, in bounded time, and never throws.
 */
export const createBatcher = <Item, Result>(
  bounds: BatchBounds,
  send: (items: readonly Item[]) => Promise<readonly Result[]>,
): ((item: Item) => Promise<Result | undefined>) => {
  const waiting: Waiting<Item, Result>[] = [];
  let [inHand, inFlight, sent] = [0, 0, 0];
  /** Whether a batch may leave that is not full: the one before it is answered, or has been in flight for long enough. */
  let isDue = true;
  let linger: NodeJS.Timeout | undefined;
  const sendAll = (): void => {
    while (inFlight < bounds.inFlight && waiting.length >= (isDue ? 1 : bounds.size)) void sendNext();
  };
  const sendNext = async (): Promise<void> => {
    const batch = waiting.splice(0, bounds.size);
    const number = (sent += 1);
    inFlight += 1;
    isDue = false;
    clearTimeout(linger);
    linger = setTimeout(() => {
      isDue = true;
      sendAll();
    }, bounds.lingerMs ?? usualLingerMs);
    const results = await send(batch.map(({ item }) => item));
    inFlight -= 1;
    inHand -= batch.length;
    if (number === sent) {
      isDue = true;
      clearTimeout(linger);
    }
    batch.forEach(({ done }, index) => done(results[index]));
    sendAll();
  };
  return (item) =>
    new Promise((resolve) => {
      if (inHand >= bounds.inFlight * bounds.size) return resolve(undefined);
      inHand += 1;
      const length = waiting.push({ item, done: resolve });
      if (length === 1 || length === bounds.size) setImmediate(sendAll);
    });
};

const compactAfter = 1_000;

/** A first-in, first-out queue without the cost of Array.shift. */
export interface Fifo<T> {
  push(item: T): void;
  take(): T | undefined;
  readonly size: number;
  items(): readonly T[];
}

/** An empty queue. */
export const createFifo = <T>(): Fifo<T> => {
  let [items, first]: [T[], number] = [[], 0];
  return {
    push: (item) => void items.push(item),
    take: () => {
      if (first === items.length) return undefined;
      const item = items[first];
      first += 1;
      if (first > compactAfter && first * 2 > items.length) [items, first] = [items.slice(first), 0];
      return item;
    },
    get size() {
      return items.length - first;
    },
    items: () => items.slice(first),
  };
};

/** Runs `work` for a key, unless it runs already: then its result or error is shared. Nothing is kept afterwards. */
export type SingleFlight<T> = (key: string, work: () => Promise<T>) => Promise<T>;

/** A burst of callers who ask the same question at the same time causes one question. */
export const createSingleFlight = <T>(): SingleFlight<T> => {
  const inFlight = new Map<string, Promise<T>>();
  return (key, work) => {
    const running = inFlight.get(key);
    if (running !== undefined) return running;
    const started = work().finally(() => inFlight.delete(key));
    inFlight.set(key, started);
    return started;
  };
};

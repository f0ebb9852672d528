/** A use case that answers nobody until it is told to, and how many wait for that. */
export const holdAnswers = () => {
  const released = Promise.withResolvers<Record<string, never>>();
  let waiting = 0;
  const wait = (): Promise<Record<string, never>> => {
    waiting += 1;
    return released.promise;
  };
  return { wait, waiting: () => waiting, release: () => released.resolve({}) };
};

import { retryUntilDone } from '#libs/kafka/consumer/retry-until-done.ts';

test('work that throws before it has returned a promise is tried again, as any other that fails', async () => {
  const retried: unknown[] = [];
  let tries = 0;
  const work = (): Promise<void> => {
    tries += 1;
    if (tries < 3) throw new Error(`failure ${tries}`);
    return Promise.resolve();
  };

  const done = await retryUntilDone({
    work,
    isCancelled: () => false,
    onRetry: (error, attempt) => retried.push([String(error), attempt]),
    stopping: new AbortController().signal,
  });

  expect(done).toBe(true);
  expect(retried).toEqual([
    ['Error: failure 1', 0],
    ['Error: failure 2', 1],
  ]);
});

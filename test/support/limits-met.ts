/** So many numbers, from 0 on. */
export const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** The statuses of answers. */
export const statusesOf = (answers: readonly { status: number }[]): number[] =>
  answers.map(({ status }) => status);

/** Asks so often, one after the other. */
export const inTurn = async <T>(count: number, ask: (index: number) => Promise<T>): Promise<T[]> => {
  const answers: T[] = [];
  for (const index of times(count)) answers.push(await ask(index));
  return answers;
};

/** D-42: the whole of a 429. */
export const limitedBy = (limit: string, burst: number, windowSec: number) => ({
  status: 429,
  headers: expect.objectContaining({
    'retry-after': expect.stringMatching(/^[1-9]\d*$/),
    'ratelimit-policy': `"${limit}";q=${burst};w=${windowSec}`,
    ratelimit: expect.stringMatching(new RegExp(`^"${limit}";r=0;t=[1-9]\\d*$`)),
  }),
  body: {
    success: false,
    request_id: expect.stringMatching(/^req_/),
    error: { code: 'RATE_LIMITED', message: expect.any(String) },
  },
});

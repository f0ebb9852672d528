import { setTimeout as pause } from 'node:timers/promises';

const pauseMs = 50;

/** Asks again and again until the answer satisfies, and returns it. After the deadline the last answer is in the error. */
export const eventually = async <T>(
  ask: () => Promise<T>,
  satisfies: (answer: T) => boolean,
  deadlineMs = 10_000,
): Promise<T> => {
  const giveUpAt = performance.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (satisfies(answer)) return answer;
    if (performance.now() > giveUpAt)
      throw new Error(`not within ${deadlineMs} ms; last: ${JSON.stringify(answer)}`);
    await pause(pauseMs);
  }
};

/** Tries again while a store or a service is busy, as launchers do, for at most 30 s. */
export const patiently = async <T>(work: () => Promise<T>): Promise<T> => {
  const done = await eventually(
    () =>
      work().then(
        (result) => ({ result }),
        () => undefined,
      ),
    (outcome) => outcome !== undefined,
    30_000,
  );
  return done!.result;
};

/** Resolves when the condition holds; after the deadline, `what` is in the error. */
export const until = async (
  condition: () => boolean | Promise<boolean>,
  what: string,
  deadlineMs = 15_000,
): Promise<void> => {
  await eventually(
    async () => ({ what, holds: await condition() }),
    ({ holds }) => holds,
    deadlineMs,
  );
};

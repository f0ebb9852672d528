const pauseMs = 50;

/** Asks again and again until the answer satisfies, and gives it. After the deadline the last answer is in the error. */
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
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
};

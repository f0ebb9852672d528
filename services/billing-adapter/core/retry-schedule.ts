/** Pauses between tries of a call to the partner, in ms; the last one repeats until the tries are used up. */
const pausesMs = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000];

/** Tries before a call is given up and set aside for a person: about two days of them. */
export const mostAttempts = 600;

/** When to try again after a number of failed tries; a fifth of the pause is chance, so that retries do not march in step. */
export const nextTryMs = (attempt: number, nowMs: number, random: number): number => {
  const pause = pausesMs[Math.min(attempt, pausesMs.length) - 1] ?? 1_000;
  return nowMs + Math.round(pause * (0.9 + random * 0.2));
};

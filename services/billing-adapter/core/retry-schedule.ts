/** Pauses between tries of a call to the partner, in ms; the last one repeats. */
const pausesMs = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000];

/** Tries before a call becomes a dead letter: about two days of them. */
export const maxAttempts = 600;

const pauseMs = (attempt: number): number => pausesMs[Math.min(attempt, pausesMs.length) - 1] ?? 1_000;

/** The instant (ms since the epoch) of the next try after a number of failed ones; ±10 % jitter keeps retries from marching in step. */
export const nextTryMs = (attempt: number, nowMs: number, random: number): number =>
  nowMs + Math.round(pauseMs(attempt) * (0.9 + random * 0.2));

/** How long a try waits at most, in ms, whatever the clock of the process that scheduled it said (D-35). */
export const longestPauseMs = (attempt: number): number => Math.ceil(pauseMs(attempt) * 1.1);

import { setTimeout as sleep } from 'node:timers/promises';
import type { Tally } from './attacks.ts';

const settleMs = 2_000;
const pollMs = 20;

/** Counts what was sent, and how it ended. */
export const createTally = () => {
  const answers: Record<string, number> = {};
  let [sent, open] = [0, 0];
  return {
    sent: (): void => {
      sent += 1;
      open += 1;
    },
    ended: (how: string): void => {
      open -= 1;
      answers[how] = (answers[how] ?? 0) + 1;
    },
    /** Everything has ended, or so much time has passed that it never may. */
    settled: async (): Promise<void> => {
      for (const untilMs = performance.now() + settleMs; open > 0 && performance.now() < untilMs;)
        await sleep(pollMs);
    },
    result: (): Tally => ({ sent, answers: { ...answers, ...(open > 0 && { 'no answer yet': open }) } }),
  };
};

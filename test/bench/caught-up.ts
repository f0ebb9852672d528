import { setTimeout } from 'node:timers/promises';
import { scrape } from '../support/read-metrics.ts';
import type { Driven } from './the-stack.ts';

const lookEveryMs = 1_000;
/** Longer than a service goes on telling a lag before it measures it anew. */
const stillForMs = 6_000;
const longestMs = 120_000;

const lagOf = async (services: Driven['processes']): Promise<number> =>
  (await scrape(services))
    .filter(({ name }) => name === 'gsb_kafka_lag_messages')
    .reduce((sum, { value }) => sum + value, 0);

const realTime = { nowMs: () => performance.now(), pause: (ms: number) => setTimeout(ms) };

/**
 * Resolves when no service has a message left to handle: what is measured next would be charged with what came before it, because stops at
 * the partner give way to it (D-61). After two minutes at most, to how many messages are left.
 */
export const caughtUp = async (
  services: Driven['processes'],
  { nowMs, pause }: { nowMs(): number; pause(ms: number): Promise<unknown> } = realTime,
): Promise<number> => {
  const beganMs = nowMs();
  let behindMs = beganMs;
  let left = 0;
  while (nowMs() - behindMs < stillForMs && nowMs() - beganMs < longestMs) {
    left = await lagOf(services);
    if (left > 0) behindMs = nowMs();
    await pause(lookEveryMs);
  }
  return left;
};

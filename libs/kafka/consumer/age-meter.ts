import type { Clock } from '#libs/kernel/clock.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { FetchedMessage } from '../fetched-message.ts';

/** What measures ages, and of which topics it does not. */
export interface AgeMeterOptions {
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Topics whose messages wait on purpose, so that nobody has to know for how long. */
  readonly waiting: ReadonlySet<string>;
}

/** Notes how old a message is when all of it is in hand: once, however many events it carries. */
export const createAgeMeter = ({ metrics, clock, waiting }: AgeMeterOptions) => {
  const ages = metrics.histogram('gsb_kafka_event_age_seconds');
  return ({ topic, message }: FetchedMessage): void => {
    if (waiting.has(topic)) return;
    ages.observe({ topic }, Math.max(0, clock() - Number(message.timestamp)) / 1000);
  };
};

import { ROOT_CONTEXT, context } from '@opentelemetry/api';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { UnreadableMessage } from '../decode-event.ts';
import type { FetchedMessage } from '../fetched-message.ts';
import type { Publisher } from '../producer/publisher.ts';
import { bareLetterOf, letterOf } from './dead-letter.ts';
import { isTransient } from './transient-errors.ts';

/** Publishes a message that cannot be handled as a dead letter, with the error and as much of it as fits. Rejects when the log does not accept it. */
export type DeadLetterQueue = (fetched: FetchedMessage, error: unknown) => Promise<void>;

interface DeadLetterOptions {
  readonly group: string;
  /** Publishes the dead letters. */
  readonly deadLetters: Pick<Publisher, 'publish'>;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** The dead letters of one consumer group. They hold no secrets, because no message on our topics does (I10). */
export const createDeadLetterQueue = (options: DeadLetterOptions): DeadLetterQueue => {
  const { group, deadLetters, metrics, log } = options;
  const recorded = metrics.counter('gsb_kafka_dead_letters_total');
  const publish = (letter: ReturnType<typeof letterOf>) =>
    deadLetters.publish('dead-letter.recorded', letter);
  /** What cannot be written would block its partition for ever. A trace and a request's id may be what is too large, too. */
  const publishBare = (fetched: FetchedMessage, error: unknown, refusal: unknown): Promise<void> => {
    if (isTransient(refusal)) throw refusal;
    log.warn(
      { error: refusal, topic: fetched.topic, group },
      'a dead letter was refused; publishing a bare one',
    );
    return context.with(ROOT_CONTEXT, () => publish(bareLetterOf(fetched, group, error)));
  };
  return async (fetched, error) => {
    const { topic, partition, message } = fetched;
    const publishWhole = async () => publish(letterOf(fetched, group, error));
    await publishWhole().catch((refusal: unknown) => publishBare(fetched, error, refusal));
    recorded.inc({ topic, reason: error instanceof UnreadableMessage ? 'unreadable' : 'failed' });
    const where = { topic, partition, offset: message.offset, group };
    log.error({ error, ...where }, 'a message was published as a dead letter');
  };
};

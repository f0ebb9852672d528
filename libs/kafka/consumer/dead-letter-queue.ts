import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { UnreadableMessage } from '../decode-event.ts';
import { textHeaders } from '../fetched-message.ts';
import type { FetchedMessage } from '../fetched-message.ts';
import type { Publisher } from '../producer/publisher.ts';

const maxReasonLength = 2_000;
/** How much of a value a dead letter keeps, in bytes; a kept value of this length was cut. */
export const maxValueBytes = 393_216;

/** Publishes a message that cannot be handled as a dead letter, with the error and the first 384 KiB of its value. Rejects when the log does not accept it. */
export type DeadLetterQueue = (fetched: FetchedMessage, error: unknown) => Promise<void>;

interface DeadLetterOptions {
  readonly group: string;
  /** Publishes the dead letters. */
  readonly deadLetters: Pick<Publisher, 'publish'>;
  readonly metrics: Metrics;
  readonly log: Log;
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** The dead letters of one consumer group. They hold no secrets, because no message on our topics does (I10). */
export const createDeadLetterQueue = (options: DeadLetterOptions): DeadLetterQueue => {
  const { group, deadLetters, metrics, log } = options;
  const recorded = metrics.counter('gsb_kafka_dead_letters_total');
  return async ({ topic, partition, message }, error) => {
    const { key, value, headers, offset } = message;
    await deadLetters.publish('dead-letter.recorded', {
      topic,
      partition,
      offset,
      group,
      key: key?.toString() ?? null,
      valueBase64: value?.subarray(0, maxValueBytes).toString('base64') ?? '',
      headers: Object.entries(textHeaders(headers)).map(([name, text]) => ({ name, value: text })),
      reason: reasonOf(error).slice(0, maxReasonLength),
    });
    recorded.inc({ topic, reason: error instanceof UnreadableMessage ? 'unreadable' : 'failed' });
    log.error({ error, topic, partition, offset, group }, 'a message was published as a dead letter');
  };
};

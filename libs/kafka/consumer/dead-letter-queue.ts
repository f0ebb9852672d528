import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { textHeaders } from '../encode-event.ts';
import type { FetchedMessage } from '../encode-event.ts';
import type { Publisher } from '../producer/publisher.ts';
import { UnreadableMessage } from '../decode-event.ts';

const longestReason = 2_000;
/** What a dead letter keeps of a value, in bytes; one that is as long was cut. */
export const maxValueBytes = 393_216;

/** Puts a message aside with what went wrong, its value cut at 384 KiB; rejects while the log does not take it. */
export type DeadLetter = (fetched: FetchedMessage, error: unknown) => Promise<void>;

interface DeadLetterOptions {
  readonly group: string;
  readonly publisher: Publisher;
  readonly metrics: Metrics;
  readonly log: Log;
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** Dead letters of one consumer group. Nothing secret is in them, because nothing secret is on our topics (promise I10). */
export const createDeadLetterQueue = ({ group, publisher, metrics, log }: DeadLetterOptions): DeadLetter => {
  const buried = metrics.counter('gsb_kafka_dead_letters_total');
  return async ({ topic, partition, message }, error) => {
    const { key, value, headers, offset } = message;
    await publisher.publish('dead-letter.recorded', {
      topic,
      partition,
      offset,
      group,
      key: key?.toString() ?? null,
      valueBase64: value?.subarray(0, maxValueBytes).toString('base64') ?? '',
      headers: Object.entries(textHeaders(headers)).map(([name, text]) => ({ name, value: text })),
      reason: reasonOf(error).slice(0, longestReason),
    });
    buried.inc({ topic, reason: error instanceof UnreadableMessage ? 'unreadable' : 'failed' });
    log.error({ error, topic, partition, offset, group }, 'a message was put aside as a dead letter');
  };
};

import { SpanKind } from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';
import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { withRequestId } from '#libs/runtime/request-context.ts';
import { extractTrace, inSpan } from '#libs/runtime/tracing.ts';
import { decodeEvent } from '../decode-event.ts';
import { eventNameOf, requestOf, textHeaders } from '../fetched-message.ts';
import type { FetchedMessage } from '../fetched-message.ts';
import type { DeadLetterQueue } from './dead-letter-queue.ts';
import { retryUntilDone } from './retry-until-done.ts';

/** A service's handlers by event. An event may be delivered more than once. */
export type Handlers = { readonly [N in EventName]?: (data: EventData<N>, meta: EventMeta) => Promise<void> };

/** Handles one message, with retries. Resolves to false when it was cancelled: then the message is redelivered. */
export type HandleMessage = (fetched: FetchedMessage, isCancelled: () => boolean) => Promise<boolean>;

interface MessageHandlerOptions {
  readonly handlers: Handlers;
  readonly deadLetterQueue: DeadLetterQueue;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly clock: Clock;
  /** Once aborted nothing is retried. */
  readonly stopping: AbortSignal;
}

type AnyHandler = (data: unknown, meta: EventMeta) => Promise<void>;

const contextOf = (headers: Readonly<Record<string, string>>): Context => {
  const request = requestOf(headers);
  const parent = extractTrace(headers);
  return request ? withRequestId(request.requestId, parent) : parent;
};

/** The outcome of a message, as the metric names it; undefined when cancelled. */
const handleOrDeadLetter = async (
  fetched: FetchedMessage,
  isCancelled: () => boolean,
  { handlers, deadLetterQueue, log, stopping }: MessageHandlerOptions,
): Promise<'ok' | 'dead' | undefined> => {
  const { topic, partition, message } = fetched;
  const where = { topic, partition, offset: message.offset };
  const onRetry = (error: unknown, attempt: number) =>
    log.warn({ error, attempt: attempt + 1, ...where }, 'an event is tried again');
  const retry = (work: () => Promise<void>) => retryUntilDone({ work, isCancelled, onRetry, stopping });
  const handle = async (): Promise<void> => {
    const { name, data, meta } = decodeEvent(fetched);
    await (handlers[name] as AnyHandler | undefined)?.(data, meta);
  };
  try {
    return (await retry(handle)) ? 'ok' : undefined;
  } catch (error) {
    return (await retry(() => deadLetterQueue(fetched, error))) ? 'dead' : undefined;
  }
};

/** Handles each message in its own trace, with the id of its request in the logs. A message that cannot be decoded, or fails for good, becomes a dead letter. */
export const createMessageHandler = (options: MessageHandlerOptions): HandleMessage => {
  const { metrics, clock } = options;
  const durations = metrics.histogram('gsb_kafka_handle_duration_seconds');
  const ages = metrics.histogram('gsb_kafka_event_age_seconds');
  return async (fetched, isCancelled) => {
    const { topic, message } = fetched;
    const event = eventNameOf(message) ?? 'unknown';
    const span = {
      kind: SpanKind.CONSUMER,
      parent: contextOf(textHeaders(message.headers)),
      attributes: { 'gsb.event': event },
    };
    ages.observe({ topic }, Math.max(0, clock() - Number(message.timestamp)) / 1000);
    return inSpan(`process ${topic}`, span, async () => {
      const started = performance.now();
      const outcome = await handleOrDeadLetter(fetched, isCancelled, options);
      if (outcome) durations.observe({ event, outcome }, (performance.now() - started) / 1000);
      return outcome !== undefined;
    });
  };
};

import { SpanKind } from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';
import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import { withRequestId } from '#libs/runtime/request-context.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { extractTrace, inSpan } from '#libs/runtime/tracing.ts';
import type { DeadLetter } from './dead-letter-queue.ts';
import { eventNameOf, requestOf, textHeaders } from '../encode-event.ts';
import type { FetchedMessage } from '../encode-event.ts';
import { retryUntilDone } from './retry-until-done.ts';
import { decodeEvent } from '../decode-event.ts';

/** What a service does about each event that concerns it. Every event may come twice. */
export type Handlers = { readonly [N in EventName]?: (data: EventData<N>, meta: EventMeta) => Promise<void> };

/** Handles one message to its end. Resolves to false when it was given up: somebody else, or we later, will see it again. */
export type HandleMessage = (fetched: FetchedMessage, givenUp: () => boolean) => Promise<boolean>;

interface HandlingOptions {
  readonly handlers: Handlers;
  readonly bury: DeadLetter;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly clock: Clock;
  /** Once aborted nothing is tried again. */
  readonly leaving: AbortSignal;
}

type AnyHandler = (data: unknown, meta: EventMeta) => Promise<void>;

const contextOf = (headers: Readonly<Record<string, string>>): Context => {
  const request = requestOf(headers);
  const parent = extractTrace(headers);
  return request ? withRequestId(request.requestId, parent) : parent;
};

/** Handles each message inside its own trace, with the id of its request in the logs; one that cannot be read, or fails for good, becomes a dead letter. */
export const createMessageHandler = (options: HandlingOptions): HandleMessage => {
  const { handlers, bury, metrics, log, clock, leaving } = options;
  const durations = metrics.histogram('gsb_kafka_handle_duration_seconds');
  const ages = metrics.histogram('gsb_kafka_event_age_seconds');

  const attempt = async (fetched: FetchedMessage): Promise<void> => {
    const { name, data, meta } = decodeEvent(fetched);
    await (handlers[name] as AnyHandler | undefined)?.(data, meta);
  };

  /** The outcome, as the metric names it; undefined when given up. */
  const conclude = async (
    fetched: FetchedMessage,
    givenUp: () => boolean,
  ): Promise<'ok' | 'dead' | undefined> => {
    const { topic, partition, message } = fetched;
    const where = { topic, partition, offset: message.offset };
    const onRetry = (error: unknown, tries: number) =>
      log.warn({ error, attempt: tries + 1, ...where }, 'an event is tried again');
    const insist = (work: () => Promise<void>) => retryUntilDone({ work, givenUp, onRetry, leaving });
    try {
      return (await insist(() => attempt(fetched))) ? 'ok' : undefined;
    } catch (error) {
      return (await insist(() => bury(fetched, error))) ? 'dead' : undefined;
    }
  };

  return async (fetched, givenUp) => {
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
      const outcome = await conclude(fetched, givenUp);
      if (outcome) durations.observe({ event, outcome }, (performance.now() - started) / 1000);
      return outcome !== undefined;
    });
  };
};

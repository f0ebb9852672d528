import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import type { Context, Link } from '@opentelemetry/api';
import type { BundleHandler, EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { withRequestId } from '#libs/runtime/request-context.ts';
import { extractTrace, inSpan, isKeptTrace, linkTo } from '#libs/runtime/tracing.ts';
import type { SpanOptions } from '#libs/runtime/tracing.ts';
import { settleAll } from '#libs/runtime/wait.ts';
import { decodeEvent } from '../decode-event.ts';
import { eventNameOf, requestOf, textHeaders } from '../fetched-message.ts';
import type { FetchedMessage } from '../fetched-message.ts';
import { handleBatch } from './batch-handler.ts';
import type { BatchHandling } from './batch-handler.ts';
import type { DeadLetterQueue } from './dead-letter-queue.ts';
import { retryUntilDone } from './retry-until-done.ts';

type Handler<N extends EventName> = (data: EventData<N>, meta: EventMeta) => Promise<void>;

/** A service's handlers by event. An event may be delivered more than once. */
export type Handlers = { readonly [N in EventName]?: Handler<N> | BundleHandler<N> };

/** Handles one event, or all of one message, with retries. Resolves to false when that was cancelled: then the message is redelivered. */
export type HandleEvents = (
  events: readonly FetchedMessage[],
  isCancelled: () => boolean,
) => Promise<boolean>;

interface EventHandlerOptions {
  readonly handlers: Handlers;
  readonly deadLetterQueue: DeadLetterQueue;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Once aborted nothing is retried. */
  readonly stopping: AbortSignal;
}

type AnyHandler = Handlers[EventName];

/** Whether a handler takes all events of a message together. */
export const isForBundles = (handler: AnyHandler): handler is BundleHandler<EventName> =>
  typeof handler === 'object';

const keepsTraces = (handler: AnyHandler): boolean => isForBundles(handler) && handler.keepsTraces === true;

const contextOf = (headers: Readonly<Record<string, string>>): Context =>
  withRequestId(requestOf(headers)?.requestId, extractTrace(headers));

/** Links to the traces of events, one to each trace: a bundle may carry hundreds of events of one. */
const linksOf = (events: readonly FetchedMessage[]): Link[] => {
  const byTrace = new Map(
    events.map(({ message: { headers } }) => [headers?.['traceparent']?.toString(), headers]),
  );
  byTrace.delete(undefined);
  return [...byTrace.values()].flatMap((headers) => linkTo(textHeaders(headers)));
};

/** One event is handled in its own trace, with the id of its request in the logs; several in a new one that is linked to theirs, or in none. */
const spanOf = (events: readonly FetchedMessage[], event: string, handler: AnyHandler): SpanOptions => {
  const common = { kind: SpanKind.CONSUMER, attributes: { 'gsb.event': event } };
  const [first] = events;
  return events.length === 1 || keepsTraces(handler)
    ? { ...common, parent: contextOf(textHeaders(first?.message.headers)) }
    : { ...common, parent: ROOT_CONTEXT, links: linksOf(events) };
};

const isOfKeptTrace = ({ message: { headers } }: FetchedMessage): boolean =>
  isKeptTrace(headers?.['traceparent']?.toString());

/** What of one message is handled together. */
const partsOf = (
  events: readonly FetchedMessage[],
  handler: AnyHandler,
): readonly (readonly FetchedMessage[])[] => {
  if (events.length < 2 || !keepsTraces(handler)) return [events];
  const byKept = Map.groupBy(events, isOfKeptTrace);
  const [kept = [], others] = [byKept.get(true), byKept.get(false)];
  return [...(others ? [others] : []), ...kept.map((each) => [each])];
};

/** How events were handled, as the metric names it; undefined when cancelled. */
type Outcome = 'ok' | 'dead' | undefined;

const handleOrDeadLetter = async (
  fetched: FetchedMessage,
  handler: AnyHandler,
  { deadLetterQueue, retry }: Pick<BatchHandling<EventName>, 'deadLetterQueue' | 'retry'>,
): Promise<Outcome> => {
  const handle = async (): Promise<void> => {
    const { data, meta } = decodeEvent(fetched);
    if (typeof handler === 'function') await handler(data as never, meta);
  };
  try {
    return (await retry(handle)) ? 'ok' : undefined;
  } catch (error) {
    return (await retry(() => deadLetterQueue(fetched, error))) ? 'dead' : undefined;
  }
};

const handleEvents = async (
  events: readonly FetchedMessage[],
  isCancelled: () => boolean,
  { handlers, deadLetterQueue, log, stopping }: EventHandlerOptions,
): Promise<Outcome> => {
  const [first] = events;
  if (first === undefined) return 'ok';
  const { topic, partition, message } = first;
  const onRetry = (error: unknown, attempt: number) => {
    const where = { topic, partition, offset: message.offset };
    log.warn({ error, attempt: attempt + 1, ...where }, 'an event is tried again');
  };
  const retry = (work: () => Promise<void>) => retryUntilDone({ work, isCancelled, onRetry, stopping });
  const handler = handlers[eventNameOf(message) as EventName];
  if (!isForBundles(handler)) return handleOrDeadLetter(first, handler, { deadLetterQueue, retry });
  const done = await handleBatch(events, { handle: handler.together, deadLetterQueue, retry });
  return done ? 'ok' : undefined;
};

/** Handles events in a trace each or together. One that cannot be decoded, or fails for good, becomes a dead letter. */
export const createEventHandler = (options: EventHandlerOptions): HandleEvents => {
  const durations = options.metrics.histogram('gsb_kafka_handle_duration_seconds');
  return async (events, isCancelled) => {
    const [first] = events;
    if (first === undefined) return true;
    const { topic, message } = first;
    const event = eventNameOf(message) ?? 'unknown';
    const handler = options.handlers[event as EventName];
    const handlePart = (part: readonly FetchedMessage[]): Promise<boolean> =>
      inSpan(`process ${topic}`, spanOf(part, event, handler), async () => {
        const started = performance.now();
        const outcome = await handleEvents(part, isCancelled, options);
        if (outcome) durations.observe({ event, outcome }, (performance.now() - started) / 1000);
        return outcome !== undefined;
      });
    const done = await settleAll(partsOf(events, handler).map(handlePart));
    return done.every((isDone) => isDone);
  };
};

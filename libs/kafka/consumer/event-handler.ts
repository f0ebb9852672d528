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
import { eventNameOf, textHeader } from '../fetched-message.ts';
import type { FetchedMessage } from '../fetched-message.ts';
import { handleBatch } from './batch-handler.ts';
import type { BatchHandling } from './batch-handler.ts';
import type { DeadLetterQueue } from './dead-letter-queue.ts';
import { retryUntilDone } from './retry-until-done.ts';

/** `endTurn`: what is left, where events wait for their turn, needs none; the event is in hand until the promise resolves all the same. */
type Handler<N extends EventName> = (
  data: EventData<N>,
  meta: EventMeta,
  endTurn: () => void,
) => Promise<void>;

/** A service's handlers by event. An event may be delivered more than once. */
export type Handlers = { readonly [N in EventName]?: Handler<N> | BundleHandler<N> };

/** Whether events are no longer to be handled here, and what ends their turn. */
interface Turn {
  readonly isCancelled: () => boolean;
  readonly endTurn: () => void;
}

/** Handles one event, or all of one message, with retries. Resolves to false when that was cancelled: then the message is redelivered. */
export type HandleEvents = (events: readonly FetchedMessage[], turn: Turn) => Promise<boolean>;

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

const headerOf = ({ message }: FetchedMessage, name: string): string | undefined =>
  textHeader(message.headers, name);

/** The headers that name the trace of an event. */
const traceOf = (fetched: FetchedMessage) => ({
  traceparent: headerOf(fetched, 'traceparent'),
  tracestate: headerOf(fetched, 'tracestate'),
});

const contextOf = (fetched: FetchedMessage): Context =>
  withRequestId(headerOf(fetched, 'gsb_request_id'), extractTrace(traceOf(fetched)));

/** Links to the traces of events, one to each trace: a bundle may carry hundreds of events of one. */
const linksOf = (events: readonly FetchedMessage[]): Link[] => {
  const byTrace = new Map(events.map((each) => [headerOf(each, 'traceparent'), each]));
  byTrace.delete(undefined);
  return [...byTrace.values()].flatMap((each) => linkTo(traceOf(each)));
};

/** One event is handled in its own trace, with the id of its request in the logs; several in a new one that is linked to theirs, or in none. */
const spanOf = (events: readonly FetchedMessage[], event: string, handler: AnyHandler): SpanOptions => {
  const [first] = events;
  const [kind, attributes] = [SpanKind.CONSUMER, { 'gsb.event': event }];
  return first && (events.length === 1 || keepsTraces(handler))
    ? { kind, attributes, parent: contextOf(first) }
    : { kind, attributes, parent: ROOT_CONTEXT, links: linksOf(events) };
};

const isOfKeptTrace = (fetched: FetchedMessage): boolean => isKeptTrace(headerOf(fetched, 'traceparent'));

/** What of some events that are handled together shares a span: of those whose traces are kept each has its own. */
const spansOf = (
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

/** How the work on a part is retried, where it goes when it fails for good, and what ends its turn. */
type Handling = Pick<BatchHandling<EventName>, 'deadLetterQueue' | 'retry'> & Pick<Turn, 'endTurn'>;

const handleOrDeadLetter = async (
  fetched: FetchedMessage,
  handler: AnyHandler,
  { deadLetterQueue, retry, endTurn }: Handling,
): Promise<Outcome> => {
  const handle = (): Promise<void> => {
    const { data, meta } = decodeEvent(fetched);
    return typeof handler === 'function' ? handler(data as never, meta, endTurn) : Promise.resolve();
  };
  try {
    return (await retry(handle)) ? 'ok' : undefined;
  } catch (error) {
    return (await retry(() => deadLetterQueue(fetched, error))) ? 'dead' : undefined;
  }
};

const handleTogether = async (
  events: readonly FetchedMessage[],
  { together }: BundleHandler<EventName>,
  handling: Handling,
): Promise<Outcome> => ((await handleBatch(events, { handle: together, ...handling })) ? 'ok' : undefined);

const areAllDone = async (handled: readonly Promise<boolean>[]): Promise<boolean> =>
  (await settleAll(handled)).every((isDone) => isDone);

const handlingOf = (
  { topic, partition, message: { offset } }: FetchedMessage,
  { isCancelled, endTurn }: Turn,
  { deadLetterQueue, log, stopping }: EventHandlerOptions,
): Handling => {
  const onRetry = (error: unknown, attempt: number) => {
    const where = { topic, partition, offset };
    log.warn({ error, attempt: attempt + 1, ...where }, 'an event is tried again');
  };
  const retry = (work: () => Promise<void>) => retryUntilDone({ work, isCancelled, onRetry, stopping });
  return { deadLetterQueue, retry, endTurn };
};

/** Handles events in a trace each or together. One that cannot be decoded, or fails for good, becomes a dead letter. */
export const createEventHandler = (options: EventHandlerOptions): HandleEvents => {
  const durations = options.metrics.histogram('gsb_kafka_handle_duration_seconds');
  const timed = async (event: string, work: () => Promise<Outcome>): Promise<boolean> => {
    const started = performance.now();
    const outcome = await work();
    if (outcome) durations.observe({ event, outcome }, (performance.now() - started) / 1000);
    return outcome !== undefined;
  };
  return async (events, turn) => {
    const [first] = events;
    if (first === undefined) return true;
    const event = eventNameOf(first.message) ?? 'unknown';
    const handler = options.handlers[event as EventName];
    const handling = handlingOf(first, turn, options);
    const handle = (these: readonly FetchedMessage[], work: () => Promise<Outcome>): Promise<boolean> =>
      inSpan(`process ${first.topic}`, spanOf(these, event, handler), () => timed(event, work));
    if (!isForBundles(handler)) return handle(events, () => handleOrDeadLetter(first, handler, handling));
    const spans = spansOf(events, handler);
    return areAllDone(spans.map((these) => handle(these, () => handleTogether(these, handler, handling))));
  };
};

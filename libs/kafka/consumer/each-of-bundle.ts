import { context } from '@opentelemetry/api';
import type { BundleHandler, EventMeta, ReceivedEvent } from '#libs/contracts/delivery.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';
import { extractTrace, keptSpan } from '#libs/runtime/tracing.ts';
import { withRequestId } from '#libs/runtime/request-context.ts';
import { isTransient } from './transient-errors.ts';

/** The request and the trace of an event, for its logs and for what it leads to; one whose trace is kept has a span of its own already. */
const contextOf = ({ request, traceparent }: EventMeta) =>
  withRequestId(
    request?.requestId,
    keptSpan() === undefined ? extractTrace({ traceparent }) : context.active(),
  );

/** Of several failures one that may pass: what has failed for good is found out when the others are done. */
const worthTrying = (outcomes: readonly PromiseSettledResult<void>[]): PromiseRejectedResult | undefined => {
  const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
  return failed.find(({ reason }) => isTransient(reason)) ?? failed[0];
};

/**
 * Handles each event of a bundle by itself, all at once, each in its own trace and with the id of its own request. When one fails, those that
 * are done are not done again. For events whose order within a bundle does not matter, and which take no longer than the others: none is out
 * of hand before all are.
 */
export const eachOfBundle = <N extends EventName>(
  handle: (data: EventData<N>, meta: EventMeta) => Promise<void>,
): BundleHandler<N> => {
  const done = new WeakSet<ReceivedEvent<N>>();
  const handleOne = async (event: ReceivedEvent<N>): Promise<void> => {
    const { data, meta } = event;
    await context.with(contextOf(meta), () => handle(data, meta));
    done.add(event);
  };
  return {
    keepsTraces: true,
    together: async (events) => {
      const outcomes = await Promise.allSettled(events.filter((event) => !done.has(event)).map(handleOne));
      const failed = worthTrying(outcomes);
      if (failed) throw failed.reason;
    },
  };
};

import { context } from '@opentelemetry/api';
import type { BundleHandler, EventMeta, ReceivedEvent } from '#libs/contracts/delivery.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';
import { withRequestId } from '#libs/runtime/request-context.ts';

/**
 * Handles each event of a bundle, all at once: for work that goes on for every session by itself, but shares its calls of stores and partner.
 * When one fails, those that are done are not done again. Each has the id of its request in the logs, and one whose trace is kept is handled in
 * that trace.
 */
export const eachOfBundle = <N extends EventName>(
  handle: (data: EventData<N>, meta: EventMeta) => Promise<void>,
): BundleHandler<N> => {
  const done = new WeakSet<ReceivedEvent<N>>();
  const handleOne = async (event: ReceivedEvent<N>): Promise<void> => {
    const { data, meta } = event;
    const id = meta.request?.requestId;
    if (id === undefined) await handle(data, meta);
    else await context.with(withRequestId(id, context.active()), () => handle(data, meta));
    done.add(event);
  };
  return {
    keepsTraces: true,
    together: async (events) => {
      const outcomes = await Promise.allSettled(events.filter((event) => !done.has(event)).map(handleOne));
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed) throw failed.reason;
    },
  };
};

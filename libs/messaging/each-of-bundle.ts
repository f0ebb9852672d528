import type { BundleHandler, EventMeta, ReceivedEvent } from '#libs/contracts/delivery.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';

/**
 * Handles each event of a bundle, all at once: for work that goes on for every session by itself, but shares its calls of stores and partner.
 * When one fails, those that are done are not done again. An event whose trace is kept is handled in that trace.
 */
export const eachOfBundle = <N extends EventName>(
  handle: (data: EventData<N>, meta: EventMeta) => Promise<void>,
): BundleHandler<N> => {
  const done = new WeakSet<ReceivedEvent<N>>();
  const handleOne = async (event: ReceivedEvent<N>): Promise<void> => {
    await handle(event.data, event.meta);
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

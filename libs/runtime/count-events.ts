import type { Publish } from '#libs/contracts/delivery.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';

/** What an event adds to the business metrics. */
export type EventCounts = { readonly [N in EventName]?: (data: EventData<N>) => void };

/** Publishes, and counts what the log has taken: a business number is never ahead of the log. An event that is published again is counted again. */
export const countEvents =
  (publish: Publish, counts: EventCounts): Publish =>
  async (name, data, options) => {
    await publish(name, data, options);
    (counts[name] as ((counted: unknown) => void) | undefined)?.(data);
  };

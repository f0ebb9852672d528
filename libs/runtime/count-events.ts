import type { Publish, PublishAll } from '#libs/contracts/delivery.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';

/** What an event adds to the business metrics. */
export type EventCounts = { readonly [N in EventName]?: (data: EventData<N>) => void };

/**
 * Publishes, and counts what the log has taken: a business number that counts events is never ahead of the log. An event that is published again is
 * counted again.
 */
export const countEvents =
  (publish: Publish, counts: EventCounts): Publish =>
  async (name, data, options) => {
    await publish(name, data, options);
    (counts[name] as ((counted: unknown) => void) | undefined)?.(data);
  };

/** As `countEvents`, for many at once. */
export const countAllEvents =
  (publishAll: PublishAll, counts: EventCounts): PublishAll =>
  async (name, events, options) => {
    await publishAll(name, events, options);
    const count = counts[name] as ((counted: unknown) => void) | undefined;
    if (count) for (const { data } of events) count(data);
  };

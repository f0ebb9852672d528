import type { Publish } from '#libs/contracts/delivery.ts';
import { linkRunning } from '#libs/runtime/tracing.ts';

/** The presentation of a token, up to a minute after it was issued, is linked to the trace in which it was. */
export const linkedToToken =
  (publish: Publish): Publish =>
  (name, data, options) => {
    if (name === 'ott.accepted' && 'ott' in data) linkRunning(data.ott.traceparent);
    return publish(name, data, options);
  };

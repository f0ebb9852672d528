import type { EventMeta, RequestAttributes } from '#libs/contracts/delivery.ts';

/** What a handler is told of the delivery of an event; without a request nobody waits for its outcome. */
export const delivery = (request?: RequestAttributes): EventMeta => ({
  ...{ id: 'event-1', time: '2026-11-20T09:00:00.000Z', topic: 'ott-claims.v1', partition: 0, offset: '0' },
  ...(request && { request }),
});

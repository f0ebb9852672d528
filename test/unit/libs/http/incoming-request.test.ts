import type { Context } from 'koa';
import { incomingRequest } from '#libs/http/incoming-request.ts';

const hasGone = (socket: { readableEnded: boolean; writable: boolean }) =>
  incomingRequest(
    { req: { headers: {}, rawHeaders: [], socket } } as unknown as Context,
    '',
    Buffer.alloc(0),
  ).hasGone();

test('a caller has gone when he has closed his side, or when ours is closed: he was lost, or has heard that he was too slow', () => {
  expect(hasGone({ readableEnded: false, writable: true })).toBe(false);
  expect(hasGone({ readableEnded: true, writable: true })).toBe(true);
  expect(hasGone({ readableEnded: false, writable: false })).toBe(true);
});

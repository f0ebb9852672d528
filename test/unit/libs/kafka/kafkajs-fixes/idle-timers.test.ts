import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import '#libs/kafka/kafkajs-fixes/idle-timers.ts';

const queue = (throttledUntil: number, pending: readonly unknown[]) =>
  Object.assign(Object.create(RequestQueue.prototype) as RequestQueue, {
    throttledUntil,
    pending,
    throttleCheckTimeoutId: null,
  });

test('an idle connection to a broker sets no timer', () => {
  const idle = queue(-1, []);

  idle.scheduleCheckPendingRequests();

  expect(idle).toMatchObject({ throttleCheckTimeoutId: null });
});

test.each([
  ['is throttled', queue(Date.now() + 60_000, [])],
  ['has requests to send', queue(-1, [{}])],
])('a connection that %s looks again', (_, busy) => {
  busy.scheduleCheckPendingRequests();

  const { throttleCheckTimeoutId: timer } = busy as unknown as { throttleCheckTimeoutId: NodeJS.Timeout };
  clearTimeout(timer);
  expect(timer).not.toBeNull();
});

import { eventually } from '../../../../support/eventually.ts';
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

describe('requests that take too long', () => {
  const [start, stop] = [globalThis.setInterval, globalThis.clearInterval];
  const running = new Set<unknown>();
  beforeAll(() => {
    globalThis.setInterval = ((look: () => void, everyMs: number) => {
      const timer = start(look, everyMs);
      running.add(timer);
      return timer;
    }) as typeof start;
    globalThis.clearInterval = ((timer: NodeJS.Timeout | undefined) => {
      running.delete(timer);
      stop(timer);
    }) as typeof stop;
  });
  afterAll(() => {
    [globalThis.setInterval, globalThis.clearInterval] = [start, stop];
  });
  const withRequest = (timedOut: string[], name: string, isConnected = true) => {
    const sent = { sentAt: Date.now(), requestTimeout: name === 'in time' ? 60_000 : 1 };
    const request = { ...sent, timeoutRequest: () => void timedOut.push(name) };
    return Object.assign(queue(-1, []), {
      inflight: new Map([[1, request]]),
      isConnected: () => isConnected,
    });
  };

  test('are found by one timer for all connections, which goes with the last of them', async () => {
    const timedOut: string[] = [];
    const [one, other, third] = ['one', 'other', 'in time'].map((name) => withRequest(timedOut, name));

    for (const each of [one, other, third]) each!.scheduleRequestTimeoutCheck();
    const together = running.size;
    one!.scheduleRequestTimeoutCheck();
    await eventually(
      async () => timedOut,
      (names) => names.includes('one') && names.includes('other'),
    );
    for (const each of [one, other]) each!.destroy();
    const withOne = running.size;
    third!.destroy();

    expect([together, withOne, running.size]).toEqual([1, 1, 0]);
    expect(timedOut).not.toContain('in time');
  });

  test('are looked for no longer where the connection has gone', async () => {
    const timedOut: string[] = [];
    const gone = withRequest(timedOut, 'gone', false);

    gone.scheduleRequestTimeoutCheck();

    await eventually(
      async () => running.size,
      (left) => left === 0,
    );
    expect(timedOut).toEqual(['gone']);
  });
});

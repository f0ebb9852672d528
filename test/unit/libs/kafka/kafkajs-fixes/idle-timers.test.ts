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
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const withRequest = (timedOut: string[], name: string, isConnected = true) => {
    const sent = { sentAt: Date.now(), requestTimeout: name === 'in time' ? 60_000 : 1 };
    const request = { ...sent, timeoutRequest: () => void timedOut.push(name) };
    return Object.assign(queue(-1, []), {
      inflight: new Map([[1, request]]),
      isConnected: () => isConnected,
    });
  };

  test('are found by one timer for all connections, which goes with the last of them', async () => {
    const [timedOut, before]: [string[], number] = [[], timers()];
    const [one, other, third] = ['one', 'other', 'in time'].map((name) => withRequest(timedOut, name));

    for (const each of [one, other, third]) each!.scheduleRequestTimeoutCheck();
    const together = timers() - before;
    one!.scheduleRequestTimeoutCheck();
    await eventually(
      async () => timedOut,
      (names) => names.includes('one') && names.includes('other'),
    );
    for (const each of [one, other]) each!.destroy();
    const withOne = timers() - before;
    third!.destroy();

    expect([together, withOne, timers() - before]).toEqual([1, 1, 0]);
    expect(timedOut).not.toContain('in time');
  });

  test('are looked for no longer where the connection has gone', async () => {
    const [timedOut, before]: [string[], number] = [[], timers()];
    const gone = withRequest(timedOut, 'gone', false);

    gone.scheduleRequestTimeoutCheck();

    await eventually(
      async () => timers() - before,
      (left) => left === 0,
    );
    expect(timedOut).toEqual(['gone']);
  });
});

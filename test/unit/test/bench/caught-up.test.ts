import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { caughtUp } from '../../../bench/caught-up.ts';

/** A service that tells one lag after the other, and the last one for ever. */
const serviceWith = async (lags: number[]) => {
  const server = createServer((_, response) => {
    const lag = lags.length > 1 ? lags.shift() : lags[0];
    response.end(
      `gsb_kafka_lag_messages{topic="billing.v1",partition="0"} ${lag}\ngsb_kafka_in_hand_messages 7\n`,
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    told: { service: 'settlement', pid: 1, ops: `http://127.0.0.1:${port}` },
    stop: () => server.close(),
  };
};

/** Looks in no time: each pause moves the clock. */
const pace = () => {
  let now = 0;
  return { nowMs: () => now, pause: async (ms: number) => void (now += ms) };
};

test('a service has caught up when it has told no lag for longer than it takes to measure one', async () => {
  const [busy, idle] = await Promise.all([serviceWith([40, 0, 0, 3, 0]), serviceWith([0])]);
  const clock = pace();

  expect(await caughtUp([busy.told, idle.told], clock)).toBe(0);
  expect(clock.nowMs()).toBe(9_000);

  busy.stop();
  idle.stop();
});

test('after two minutes it is told what is left', async () => {
  const never = await serviceWith([12]);
  const clock = pace();

  expect(await caughtUp([never.told], clock)).toBe(12);
  expect(clock.nowMs()).toBe(120_000);

  never.stop();
});

import { createLivenessWatchdog } from '#libs/kafka/consumer/liveness-watchdog.ts';

const minute = 60_000;

const at = (reachable: boolean) => {
  let nowMs = 0;
  const watchdog = createLivenessWatchdog({ reachable: async () => reachable, nowMs: () => nowMs });
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 10_000) {
      nowMs += Math.min(left, 10_000);
      await watchdog.check();
    }
  };
  return { watchdog, pass };
};

test('a poll loop that has done nothing for a minute while Kafka was reachable is not live', async () => {
  const { watchdog, pass } = at(true);

  await pass(minute - 1);
  expect(watchdog.live()).toBe(true);
  await pass(1);

  expect(watchdog.live()).toBe(false);
});

test('a poll loop that goes on is live', async () => {
  const { watchdog, pass } = at(true);

  await pass(minute - 1);
  watchdog.noteActivity();
  await pass(minute - 1);

  expect(watchdog.live()).toBe(true);
});

test('an outage of Kafka is not a stall of its consumers: none is restarted for it', async () => {
  const { watchdog, pass } = at(false);

  await pass(60 * minute);

  expect(watchdog.live()).toBe(true);
});

test('a poll loop that flow control has paused is live, and has a minute after it', async () => {
  const { watchdog, pass } = at(true);

  watchdog.setPaused(true);
  await pass(60 * minute);
  expect(watchdog.live()).toBe(true);

  watchdog.setPaused(false);
  await pass(minute - 1);
  expect(watchdog.live()).toBe(true);
  await pass(1);
  expect(watchdog.live()).toBe(false);
});

import { createLivenessWatchdog } from '#libs/kafka/consumer/liveness-watchdog.ts';

const minute = 60_000;

const at = (reachable: boolean) => {
  let nowMs = 0;
  const pulse = createLivenessWatchdog({ reachable: async () => reachable, nowMs: () => nowMs });
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 10_000) {
      nowMs += Math.min(left, 10_000);
      await pulse.look();
    }
  };
  return { pulse, pass };
};

test('a poll loop that has done nothing for a minute while the log was there is not live', async () => {
  const { pulse, pass } = at(true);

  await pass(minute - 1);
  expect(pulse.live()).toBe(true);
  await pass(1);

  expect(pulse.live()).toBe(false);
});

test('a poll loop that goes on is live', async () => {
  const { pulse, pass } = at(true);

  await pass(minute - 1);
  pulse.beat();
  await pass(minute - 1);

  expect(pulse.live()).toBe(true);
});

test('a log that is away is not the stall of who reads it: nobody is restarted for it', async () => {
  const { pulse, pass } = at(false);

  await pass(60 * minute);

  expect(pulse.live()).toBe(true);
});

test('a poll loop that rests because too much is in hand is live, and has a minute after it', async () => {
  const { pulse, pass } = at(true);

  pulse.rest(true);
  await pass(60 * minute);
  expect(pulse.live()).toBe(true);

  pulse.rest(false);
  await pass(minute - 1);
  expect(pulse.live()).toBe(true);
  await pass(1);
  expect(pulse.live()).toBe(false);
});

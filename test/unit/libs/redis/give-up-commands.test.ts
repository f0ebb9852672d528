import { setImmediate } from 'node:timers/promises';
import { Command } from 'ioredis';
import type { Redis } from 'ioredis';
import { commandTimeoutMs, giveUpCommands } from '#libs/redis/give-up-commands.ts';
import type { Timers } from '#libs/redis/give-up-commands.ts';

/** How much later than its time a command is given up at most: it is looked after so often. */
const lookEveryMs = 100;

/** A clock that is set by hand, and what is due by it. */
const handSetClock = () => {
  let [nowMs, due] = [0, [] as { readonly atMs: number; readonly work: () => void }[]];
  const timers: Timers = {
    now: () => nowMs,
    later: (work, ms) => void due.push({ atMs: nowMs + ms, work }),
    whenSocketsAreRead: (work) => void due.push({ atMs: nowMs, work }),
  };
  /** Does what is due, and what becomes due by that. */
  const doDue = async (): Promise<void> => {
    const works = due.filter(({ atMs }) => atMs <= nowMs);
    due = due.filter(({ atMs }) => atMs > nowMs);
    works.forEach(({ work }) => work());
    await setImmediate();
    if (works.length > 0) await doDue();
  };
  /** Time in which nothing is done when it is due, but at its end. */
  const beBusy = (ms: number) => ((nowMs += ms), doDue());
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 1) await beBusy(1);
  };
  return { timers, beBusy, pass };
};

/** A connection on which nothing is answered but what `answers` says, and the clock by which commands are given up. */
const silentClient = (answers: (key: string) => boolean = () => false) => {
  const { timers, ...clock } = handSetClock();
  const client = {
    sendCommand: (command: Command) => {
      if (answers(String(command.args[0]))) command.resolve(Buffer.from('OK'));
      return command.promise;
    },
  } as unknown as Redis;
  giveUpCommands(client, timers);
  /** Sends a command; resolves to how long it took to be given up, in ms; undefined when it was answered. */
  const givenUpAfter = async (command: Command): Promise<number | undefined> => {
    const sentAt = timers.now();
    try {
      await client.sendCommand(command);
      return undefined;
    } catch {
      return timers.now() - sentAt;
    }
  };
  return { givenUpAfter, ...clock };
};

const get = (key = 'a') => new Command('get', [key]);

test('of many commands each that has no answer is given up when its time is over, and no other', async () => {
  const { givenUpAfter, pass } = silentClient((key) => Number(key) % 2 === 0);
  const commands: Promise<number | undefined>[] = [];
  for (let key = 0; key < 300; key += 1) {
    commands.push(givenUpAfter(get(`${key}`)));
    if (key % 30 === 0) await pass(5);
  }

  await pass(commandTimeoutMs + lookEveryMs);
  const took = await Promise.all(commands);

  const answered = took.filter((_, key) => key % 2 === 0);
  const silent = took.filter((_, key) => key % 2 === 1).map((ms) => ms ?? 0);
  expect(new Set(answered)).toEqual(new Set([undefined]));
  expect(silent).toHaveLength(150);
  for (const ms of silent) {
    expect(ms).toBeGreaterThanOrEqual(commandTimeoutMs);
    expect(ms).toBeLessThanOrEqual(commandTimeoutMs + lookEveryMs);
  }
});

test('a command that we were too busy to send for longer than it may take is answered', async () => {
  const { givenUpAfter, beBusy, pass } = silentClient();
  const command = get();
  const took = givenUpAfter(command);

  await beBusy(900);
  await pass(99);
  command.resolve(Buffer.from('OK'));

  expect(await took).toBeUndefined();
});

test.each([
  ['at once', [900]],
  ['again and again', [300, 300, 300]],
])('half a second in which we were busy %s is excused, and no more', async (_, stretches) => {
  const { givenUpAfter, beBusy, pass } = silentClient();
  const took = givenUpAfter(get());

  for (const ms of stretches) await beBusy(ms);
  await pass(200);

  expect(await took).toBe(2 * commandTimeoutMs);
});

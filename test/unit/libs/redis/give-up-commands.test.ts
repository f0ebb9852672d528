import { setTimeout } from 'node:timers/promises';
import { Command } from 'ioredis';
import type { Redis } from 'ioredis';
import { commandTimeoutMs, giveUpCommands } from '#libs/redis/give-up-commands.ts';

/** A connection on which nothing is answered but what `answers` says. */
const silentClient = (answers: (key: string) => boolean): Redis => {
  const client = {
    sendCommand: (command: Command) => {
      if (answers(String(command.args[0]))) command.resolve(Buffer.from('OK'));
      return command.promise;
    },
  } as unknown as Redis;
  giveUpCommands(client);
  return client;
};

/** How long a command took to be given up, in ms; undefined when it was answered. */
const givenUpAfter = async (client: Redis, key: string): Promise<number | undefined> => {
  const sentAt = performance.now();
  try {
    await client.sendCommand(new Command('get', [key]));
    return undefined;
  } catch {
    return performance.now() - sentAt;
  }
};

test('of many commands each that has no answer is given up when its time is over, and no other', async () => {
  const client = silentClient((key) => Number(key) % 2 === 0);
  const commands: Promise<number | undefined>[] = [];
  for (let key = 0; key < 300; key += 1) {
    commands.push(givenUpAfter(client, `${key}`));
    if (key % 30 === 0) await setTimeout(5);
  }

  const took = await Promise.all(commands);

  const answered = took.filter((_, key) => key % 2 === 0);
  const silent = took.filter((_, key) => key % 2 === 1).map((ms) => ms ?? 0);
  expect(new Set(answered)).toEqual(new Set([undefined]));
  expect(silent).toHaveLength(150);
  for (const ms of silent) {
    expect(ms).toBeGreaterThanOrEqual(commandTimeoutMs - 5);
    expect(ms).toBeLessThan(3 * commandTimeoutMs);
  }
});

import { Redis } from 'ioredis';
import { redisUsers } from '#libs/contracts/redis-users.ts';
import { theStack } from '../support/suite-stack.ts';

let redis: Redis;
beforeAll(async () => {
  redis = new Redis((await theStack()).redis.url);
});
afterAll(() => redis.disconnect());

/** `OK`, or why Redis would refuse the command. */
const dryRun = (user: string, ...command: string[]): Promise<unknown> =>
  redis.call('ACL', ['DRYRUN', user, ...command]);
const users = Object.keys(redisUsers) as (keyof typeof redisUsers)[];
const aKey = (pattern: string): string => pattern.replace('*', 'b');

describe.each(users)('%s in Redis', (user) => {
  const { keys, channels } = redisUsers[user];
  const own: readonly string[] = keys;
  const replies = (of: string) => `gsb:replies:${of}:pod-1.boot`;
  const foreign = users
    .flatMap((name): readonly string[] => redisUsers[name].keys)
    .filter((key) => !own.includes(key));

  test('signs in as itself', async () => {
    const clients = String(await redis.client('LIST'));

    expect(clients).toContain(`user=${user} `);
  });

  test.each([...own])('reads and writes %s', async (pattern) => {
    expect(await dryRun(user, 'GET', aKey(pattern))).toBe('OK');
    expect(await dryRun(user, 'EVALSHA', 'f'.repeat(40), '1', aKey(pattern))).toBe('OK');
  });

  test('reaches no key of another service', async () => {
    for (const pattern of [...foreign, 'anything'])
      for (const command of [['GET'], ['SET'], ['EVAL', 'return 1', '1']])
        expect(
          String(await dryRun(user, ...command, aKey(pattern), ...(command[0] === 'SET' ? ['1'] : []))),
        ).toMatch(/no permissions to access the '.*' key/);
  });

  test.each(users)('hears and sends replies among its own replicas alone: those of %s', async (of) => {
    const answers = await Promise.all([
      dryRun(user, 'SUBSCRIBE', replies(of)),
      dryRun(user, 'PUBLISH', replies(of), '1'),
    ]);

    const expected =
      of === user && channels.length > 0 ? /^OK$/ : /no permissions to access the '.*' channel/;
    for (const answer of answers) expect(String(answer)).toMatch(expected);
  });

  test.each([
    ['FLUSHALL'],
    ['KEYS', '*'],
    ['SCAN', '0'],
    ['RANDOMKEY'],
    ['DBSIZE'],
    ['CONFIG', 'GET', '*'],
    ['ACL', 'LIST'],
    ['SCRIPT', 'FLUSH'],
    ['SCRIPT', 'LOAD', 'return 1'],
    ['FUNCTION', 'LOAD', '#!lua name=left'],
    ['FCALL', 'left', '0'],
    ['PUBSUB', 'CHANNELS'],
    ['PSUBSCRIBE', '*'],
    ['SHUTDOWN'],
    ['DEBUG', 'JMAP'],
    ['MONITOR'],
  ])('may not %s', async (...command) => {
    expect(String(await dryRun(user, ...command))).toContain('no permissions to run');
  });
});

test('nobody works as the user who may do anything', async () => {
  const clients = String(await redis.client('LIST'))
    .trim()
    .split('\n');
  const services = clients.filter((line) => !line.includes('user=default'));

  expect(new Set(services.map((line) => / user=(\S+)/.exec(line)?.[1]))).toEqual(new Set(users));
});

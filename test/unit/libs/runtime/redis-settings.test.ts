import { Redis } from 'ioredis';
import { z } from 'zod';
import { readConfig } from '#libs/runtime/config.ts';
import { redisAccess, redisSettings, withRedis } from '#libs/runtime/redis-settings.ts';
import { configProblems } from '../../../support/config-problems.ts';

const schema = withRedis(z.object(redisSettings));
const sentinels = { REDIS_MODE: 'sentinel', REDIS_SENTINELS: 'a:26379, b:26379', REDIS_MASTER: 'gsb' };

const cluster = { REDIS_MODE: 'cluster', REDIS_NODES: 'a:6379, b:6380' };

const problemsOf = (env: NodeJS.ProcessEnv) => configProblems(schema, env);

test('one Redis is its URL', () => {
  expect(redisAccess(readConfig(schema, { REDIS_URL: 'redis://store:6379' }))).toEqual({
    mode: 'single',
    url: 'redis://store:6379',
  });
});

test('a user and a password may hold any characters, as the client reads them', () => {
  const [username, password] = ['gsb:live', 'p@ss/w:rd?#[%41]& "é\'+'];

  const access = redisAccess(
    readConfig(schema, {
      REDIS_URL: 'rediss://store:6380',
      REDIS_USERNAME: username,
      REDIS_PASSWORD: password,
    }),
  );

  const client = new Redis(access.mode === 'single' ? access.url : '', { lazyConnect: true });
  expect(client.options).toMatchObject({ host: 'store', username, password });
});

test('a primary that Sentinels know is its name, the Sentinels and the credentials', () => {
  const config = readConfig(schema, { ...sentinels, REDIS_PASSWORD: 'hush', REDIS_TLS: 'true' });

  expect(redisAccess(config)).toMatchObject({
    mode: 'sentinel',
    sentinels: [
      { host: 'a', port: 26379 },
      { host: 'b', port: 26379 },
    ],
    ...{ master: 'gsb', password: 'hush', tls: true },
  });
});

test('a cluster is some of its servers and the credentials', () => {
  const config = readConfig(schema, {
    ...cluster,
    REDIS_USERNAME: 'ott',
    REDIS_PASSWORD: 'hush',
    REDIS_TLS: 'true',
  });

  expect(redisAccess(config)).toEqual({
    mode: 'cluster',
    nodes: [
      { host: 'a', port: 6379 },
      { host: 'b', port: 6380 },
    ],
    ...{ username: 'ott', password: 'hush', tls: true },
  });
});

const inTheUrl = 'is only for REDIS_MODE=sentinel or cluster; one server is described by REDIS_URL alone';

test.each<[string, NodeJS.ProcessEnv, string[]]>([
  ['nothing at all', {}, ['REDIS_URL: is not set']],
  [
    'Sentinels without their mode',
    { REDIS_URL: 'redis://store', REDIS_SENTINELS: 'a:1', REDIS_MASTER: 'gsb', REDIS_TLS: 'true' },
    [`REDIS_MASTER: ${inTheUrl}`, `REDIS_SENTINELS: ${inTheUrl}`, `REDIS_TLS: ${inTheUrl}`],
  ],
  [
    'the mode without Sentinels',
    { REDIS_MODE: 'sentinel' },
    [
      'REDIS_MASTER: is not set, and REDIS_MODE=sentinel needs it',
      'REDIS_SENTINELS: is not set, and REDIS_MODE=sentinel needs it',
    ],
  ],
  [
    'a URL beside the Sentinels',
    { ...sentinels, REDIS_URL: 'redis://store' },
    ['REDIS_URL: does not go with REDIS_MODE=sentinel, where the Sentinels say which server it is'],
  ],
  [
    'a cluster without servers',
    { REDIS_MODE: 'cluster' },
    ['REDIS_NODES: is not set, and REDIS_MODE=cluster needs it'],
  ],
  [
    'Sentinels beside a cluster',
    { ...cluster, REDIS_MASTER: 'gsb' },
    [
      'REDIS_MASTER: does not go with REDIS_MODE=cluster, where REDIS_NODES names servers that know the others',
    ],
  ],
  [
    'Sentinels that are no addresses',
    { ...sentinels, REDIS_SENTINELS: 'nowhere' },
    ['REDIS_SENTINELS: must be host:port, separated by commas'],
  ],
  [
    'a mode that does not exist',
    { ...sentinels, REDIS_MODE: 'many' },
    ['REDIS_MODE: Invalid option: expected one of "single"|"sentinel"|"cluster"'],
  ],
])('%s is refused, each setting in one sentence', (_, env, problems) => {
  expect(problemsOf(env)).toEqual(problems);
});

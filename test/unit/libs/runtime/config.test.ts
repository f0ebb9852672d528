import { z } from 'zod';
import { readConfig } from '#libs/runtime/config.ts';
import { redisSettings, withRedis } from '#libs/runtime/redis-settings.ts';
import { kafkaSettings } from '#libs/runtime/kafka-settings.ts';
import { httpSettings, limitSettings, limitsOf, opsSettings, withLimits } from '#libs/runtime/settings.ts';
import { specLimits } from '#libs/kernel/limits.ts';
import { configProblems } from '../../../support/config-problems.ts';

const schema = withRedis(
  withLimits(
    z.object({ ...kafkaSettings, ...redisSettings, ...opsSettings, ...httpSettings, ...limitSettings }),
  ),
);
const enough = { KAFKA_BROKERS: 'a:9092, b:9092', REDIS_URL: 'redis://store:6379' };

const problemsOf = (env: NodeJS.ProcessEnv) => configProblems(schema, env);

test('with nothing but addresses the limits are those of the specification', () => {
  const config = readConfig(schema, enough);

  expect(config.KAFKA_BROKERS).toEqual(['a:9092', 'b:9092']);
  expect(limitsOf(config)).toEqual(specLimits);
});

test('all problems are reported at once, by name and reason', () => {
  const problems = problemsOf({
    KAFKA_BROKERS: 'nowhere',
    OPS_PORT: '70000',
    LOG_LEVEL: 'loud',
    SESSION_EXPIRY_SEC: '60',
  });

  expect(problems).toEqual([
    'KAFKA_BROKERS: must be host:port, separated by commas',
    'LOG_LEVEL: Invalid option: expected one of "debug"|"info"|"warn"|"error"',
    'OPS_PORT: must be at most 65535',
    'REDIS_URL: is not set',
    'SESSION_EXPIRY_SEC: must be longer than the heartbeat interval',
  ]);
});

test('a value is never repeated, only its problem', () => {
  const problems = problemsOf({
    ...enough,
    REDIS_URL: 'http://:s3cret@store',
    OTT_TTL_SEC: 's3cret',
    INSTANCE_ID: 's3cret!',
  });

  expect(problems).toHaveLength(3);
  expect(problems.join()).not.toMatch(/s3cret/);
});

test('an empty variable counts as unset', () => {
  expect(readConfig(schema, { ...enough, OPS_PORT: '', BIND_HOST: '' })).toMatchObject({
    OPS_PORT: 9090,
    BIND_HOST: '0.0.0.0',
  });
  expect(problemsOf({ ...enough, REDIS_URL: '' })).toEqual(['REDIS_URL: is not set']);
});

test('port 0 asks for any free port', () => {
  expect(readConfig(schema, { ...enough, OPS_PORT: '0', HTTP_PORT: '0' })).toMatchObject({
    OPS_PORT: 0,
    HTTP_PORT: 0,
  });
});

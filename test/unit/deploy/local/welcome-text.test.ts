import { addresses } from '../../../../deploy/local/welcome-text.ts';
import { theStack } from '../../../support/suite-stack.ts';

test('where everything answers is printed without the passwords of the stores', async () => {
  const facts = await theStack();
  const redis = { ...facts.redis, url: 'rediss://gsb:hush@redis.example:6379' };
  const postgres = { ...facts.postgres, url: 'postgres://gsb:hu:hush@postgres.example/gsb' };

  const printed = addresses({ ...facts, redis, postgres });

  expect(printed).not.toMatch(/hu:|hush/);
  expect(printed).toMatch(/rediss:\/\/gsb:…@redis\.example:6379[^]*postgres:\/\/gsb:…@postgres\.example/);
});

test('a password of Redis that belongs to no user is not printed either', async () => {
  const facts = await theStack();

  const printed = addresses({ ...facts, redis: { url: 'redis://:hush@127.0.0.1:6379' } });

  expect(printed).toContain('redis://:…@127.0.0.1:6379');
});

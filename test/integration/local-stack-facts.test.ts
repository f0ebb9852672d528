import { statSync } from 'node:fs';
import { serviceNames } from '#libs/contracts/topics.ts';
import { startOf } from '../../deploy/local/processes.ts';
import { theStack } from '../support/suite-stack.ts';

test('what stack.json tells is for its owner alone', () => {
  expect(statSync(process.env['GSB_STACK'] ?? '').mode & 0o777).toBe(0o600);
});

test('stack.json names at least three games and three cafes, each with what a caller needs', async () => {
  const { game, cafes } = await theStack();

  expect(game.games.length).toBeGreaterThanOrEqual(3);
  expect(cafes.length).toBeGreaterThanOrEqual(3);
  expect(game.games.every(({ api_keys: keys }) => keys.length > 0)).toBe(true);
  expect(
    cafes.every(({ secret, ips }) => Buffer.from(secret, 'base64').length === 32 && ips.length > 0),
  ).toBe(true);
});

test.each(serviceNames)(
  '%s runs under the pid that stack.json tells, and answers its probes and its metrics',
  async (name) => {
    const found = (await theStack()).processes.find(({ service }) => service === name);
    const paths = ['health/startup', 'health/ready', 'health/live', 'metrics'];

    const answers = await Promise.all(paths.map((path) => fetch(`${found?.ops}/${path}`)));

    expect(startOf(found?.pid ?? 0)).toBeDefined();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  },
);

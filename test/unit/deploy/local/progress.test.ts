import { jest } from '@jest/globals';
import { until } from '../../../../deploy/local/progress.ts';

const dayMs = 86_400_000;

afterEach(() => jest.restoreAllMocks());

test('a machine that stood still while it was asked leaves time for the next question', async () => {
  const { now } = performance;
  let jumpMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + jumpMs);
  const answers = [false, true];
  const asked = until(
    'awake',
    async () => {
      jumpMs += dayMs;
      return answers.shift() ?? false;
    },
    2_000,
  );
  await expect(asked).resolves.toBeUndefined();
});

test('whoever waited in vain hears what was answered last', async () => {
  const asked = until('open', () => Promise.reject(new Error('the door is shut')), 0);
  await expect(asked).rejects.toMatchObject({
    message: 'open: not within 0 s',
    cause: { message: 'the door is shut' },
  });
});

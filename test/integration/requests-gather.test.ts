import { z } from 'zod';
import { endpoint } from '#libs/contracts/endpoint.ts';
import { route } from '#libs/http/route.ts';
import { serveRoutes } from '../support/http-server.ts';

const contract = endpoint({
  ...{ name: 'beat', method: 'GET', path: '/beat', summary: 'Beats.', auth: 'none' },
  ...{ data: z.object({}), errors: [] },
});

/** Of a turn of 128 ms who comes in its first quarter waits for so long. */
const longMs = 96;

/** Two callers who ask again as soon as they are answered, until so many of their requests have waited for long, for five seconds at most. */
const askUntil = async (late: number) => {
  const seen = { asked: 0, answered: 0, late: 0 };
  const gathers = () => {
    seen.asked += 1;
    return 'long' as const;
  };
  const server = await serveRoutes([{ ...route(contract, async () => ({})), gathers }]);
  const endMs = performance.now() + 5_000;
  const caller = async () => {
    while (seen.late < late && performance.now() < endMs) {
      const askedMs = performance.now();
      const { status } = await fetch(`${server.url}/beat`);
      if (performance.now() - askedMs >= longMs) seen.late += 1;
      if (status === 200) seen.answered += 1;
    }
  };
  await Promise.all([caller(), caller()]);
  await server.stop();
  return seen;
};

test('requests gather for as long as their route says, which is asked once for each (D-56)', async () => {
  const { late, asked, answered } = await askUntil(20);

  expect(late).toBeGreaterThanOrEqual(20);
  expect(asked).toBe(answered);
});

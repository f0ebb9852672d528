import { verify } from '#libs/contracts/api/game.ts';
import { countResponses } from '#libs/http/count-responses.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { samplesOf } from '../../../support/read-metrics.ts';

const { path } = verify;
const failuresOf = async (metrics: ReturnType<typeof createMetrics>) =>
  samplesOf(await metrics.text())
    .filter(({ name }) => name === 'gsb_http_failed_responses_total')
    .map(({ labels, value }) => [labels['http_route'], labels['http_response_status_code'], value]);

test('the failures of each route begin at 0, so that the first ones of a process are an increase', async () => {
  const metrics = createMetrics('game-session');

  countResponses(metrics, [verify]);

  expect(await failuresOf(metrics)).toEqual([
    [path, '429', 0],
    [path, '500', 0],
    [path, '503', 0],
  ]);
});

test('a response with a status of ours, or that a caller has to wait, is a failure; another is none', async () => {
  const metrics = createMetrics('game-session');
  const { responded } = countResponses(metrics, [verify]);

  for (const status of [200, 401, 410, 429, 429, 503])
    responded({ route: path, method: 'POST', status, seconds: 0.1 });

  expect(await failuresOf(metrics)).toEqual([
    [path, '429', 2],
    [path, '500', 0],
    [path, '503', 1],
  ]);
});

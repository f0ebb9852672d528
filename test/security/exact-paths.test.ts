import { z } from 'zod';
import { endpoint } from '#libs/contracts/endpoint.ts';
import { route } from '#libs/http/route.ts';
import { serveRoutes } from '../support/http-server.ts';
import { talk } from '../support/raw.ts';

const contract = endpoint({
  ...{ name: 'start', method: 'GET', path: '/v1/start', summary: 'Waits for nothing.', auth: 'none' },
  ...{ data: z.object({}), errors: [], shed: 'first' },
});

/** The status of a GET of each of these targets, sent exactly so. */
const statusesOf = async (targets: readonly string[]): Promise<string[]> => {
  const server = await serveRoutes([route(contract, async () => ({}))]);
  const ask = (target: string, method = 'GET') =>
    talk(server.url, `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  const answers = await Promise.all(targets.map((target) => ask(target)));
  const posts = await Promise.all(targets.map((target) => ask(target, 'POST')));
  await server.stop();
  return answers.map((answer, index) => `${answer.slice(9, 12)} ${posts[index]?.slice(9, 12)}`);
};

test('a path is served as it is written: with a slash more or in other letters it is unknown, whatever the method', async () => {
  const targets = ['/v1/start', '/v1/start?a=/b', '/v1/start/', '/V1/start', '/v1/START', '/OpenAPI.json'];

  const statuses = await statusesOf(targets);

  expect(statuses).toEqual(['200 405', '200 405', ...Array(4).fill('404 404')]);
});

test('a path that only looks like one of ours is unknown, and a whole address is its path', async () => {
  const statuses = await statusesOf([
    'http://a/v1/start',
    'http://a/v1\\start',
    '/v1\\start#',
    '/v1/start/#',
  ]);

  expect(statuses).toEqual(['200 405', '404 404', '404 404', '404 404']);
});

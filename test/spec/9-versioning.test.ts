import * as game from '#libs/contracts/api/game.ts';
import * as launcher from '#libs/contracts/api/launcher.ts';
import { send } from '../support/raw.ts';
import { theStack } from '../support/suite-stack.ts';

const isEndpoint = (value: object) => 'path' in value && 'method' in value;
const endpoints = [...Object.values(game), ...Object.values(launcher)].filter(isEndpoint) as {
  name: string;
  path: string;
}[];

describe('spec part 9: the version is in the path', () => {
  test.each(endpoints.map(({ name, path }) => [name, path]))('%s begins with /v1', (_, path) => {
    expect(path).toMatch(/^\/v1\//);
  });

  test.each(['/game/session/verify', '/v2/game/session/verify'])('there is nothing at %s', async (path) => {
    const { url } = (await theStack()).game;

    expect(await send({ method: 'POST', url: url + path, body: '{}' })).toMatchObject({ status: 404 });
  });
});

import * as game from '#libs/contracts/api/game.ts';
import * as launcher from '#libs/contracts/api/launcher.ts';
import { readFileSync } from 'node:fs';
import { send } from '../support/raw.ts';
import { theStack } from '../support/suite-stack.ts';
import { broken, surfaceOfV1 } from '../support/v1-surface.ts';
import type { Surface } from '../support/v1-surface.ts';

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

const promised = Object.entries(
  JSON.parse(readFileSync(new URL('./v1-as-promised.json', import.meta.url), 'utf8')) as Record<
    string,
    Surface
  >,
);

describe('what /v1 promises (D-59)', () => {
  test.each(promised)(
    '%s is as callers have built on it, but for what they need not know',
    (name, before) => {
      expect(broken(before, surfaceOfV1()[name])).toEqual([]);
    },
  );

  const before: Surface = {
    call: 'POST /v1/x, api-key',
    request: ['body.a: string'],
    answer: ['data.b: integer'],
    errors: ['BAD_REQUEST'],
  };
  test.each([
    ['an endpoint that goes', undefined, ['no more POST /v1/x, api-key']],
    [
      'a field of an answer that goes',
      { ...before, answer: ['data.c: integer'] },
      ['no more data.b: integer'],
    ],
    ['a field of another type', { ...before, answer: ['data.b: string'] }, ['no more data.b: integer']],
    [
      'a field that a request now needs',
      { ...before, request: [...before.request, 'body.z: string'] },
      ['asks for body.z: string'],
    ],
    ['an error code that is new', { ...before, errors: ['BAD_REQUEST', 'NEW'] }, ['may answer NEW']],
    [
      'nothing by a new field of an answer, nor an optional one of a request',
      {
        ...before,
        request: [...before.request, 'body.z: string, optional'],
        answer: [...before.answer, 'data.z: string'],
      },
      [],
    ],
  ])('a caller is broken by %s', (_, now, found) => {
    expect(broken(before, now)).toEqual(found);
  });
});

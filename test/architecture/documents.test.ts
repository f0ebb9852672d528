import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { documents, written } from '../../deploy/docs/documents.ts';
import { send } from '../support/raw.ts';
import { theStack } from '../support/stage.ts';

const folder = resolve(import.meta.dirname, '../../deploy/api');
const all = Object.entries(documents());

describe('the documents are made of the contracts', () => {
  test.each(all)('%s has not drifted (npm run docs writes it)', (name, document) => {
    expect(readFileSync(join(folder, name), 'utf8')).toBe(written(document));
  });

  test.each(['launcher', 'game', 'settlement'] as const)(
    '%s serves its own at /openapi.json',
    async (api) => {
      const { url } = (await theStack())[api];

      const answer = await send({ method: 'GET', url: `${url}/openapi.json` });

      expect([answer.status, answer.body]).toEqual([
        200,
        JSON.parse(written(documents()[`${api}.openapi.json`])),
      ]);
    },
  );
});

interface Node {
  readonly properties?: Record<string, Node & { description?: string; const?: unknown }>;
}

/** Every property that a caller of the HTTP APIs sends or hears, with the way to it. */
const properties = (node: unknown, path = ''): [string, { description?: string }][] => {
  if (typeof node !== 'object' || node === null) return [];
  const own = Object.entries((node as Node).properties ?? {}).map(
    ([name, schema]): [string, { description?: string }] => [`${path}.${name}`, schema],
  );
  return [...own, ...Object.entries(node).flatMap(([name, child]) => properties(child, `${path}/${name}`))];
};

const envelope = /\.(success|data|error|hardware)$/;

test.each(all.filter(([name]) => name.endsWith('openapi.json')))(
  'every field of %s has a description',
  (_, document) => {
    const bare = properties(document).filter(
      ([path, schema]) => schema.description === undefined && !envelope.test(path),
    );

    expect(bare.map(([path]) => path)).toEqual([]);
  },
);

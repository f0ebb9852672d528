import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { gameObject, operatorObject } from '#libs/catalog/catalog-objects.ts';
import { operatorRoles } from '#libs/contracts/operators.ts';

interface Schema {
  readonly properties: Record<string, Schema>;
  readonly items?: Schema | undefined;
  readonly required: readonly string[];
  readonly enum?: readonly string[] | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
}

const schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    properties: z.record(z.string(), schema).default({}),
    items: schema.optional(),
    required: z.array(z.string()).default([]),
    enum: z.array(z.string()).optional(),
    minItems: z.number().optional(),
    maxItems: z.number().optional(),
  }),
);

const crd = z.object({
  spec: z.object({ versions: z.tuple([z.object({ schema: z.object({ openAPIV3Schema: schema }) })]) }),
});

const charts = resolve(import.meta.dirname, '../../charts/gsb/crds');
/** What the API server takes, by the resource definition. */
const takenOf = (name: string): Schema =>
  crd.parse(parse(readFileSync(join(charts, name), 'utf8'))).spec.versions[0].schema.openAPIV3Schema;
/** What the services take. */
const readOf = (object: z.ZodType): Schema => schema.parse(z.toJSONSchema(object, { io: 'input' }));

/** One line for each member, with what bounds it. */
const lines = ({ properties, required, items, ...bounds }: Schema, at: string): string[] => [
  `${at} ${JSON.stringify(bounds, ['enum', 'minItems', 'maxItems'])}`,
  ...(items === undefined ? [] : lines(items, `${at}[]`)),
  ...Object.entries(properties).flatMap(([name, member]) =>
    lines(member, `${at}.${name}${required.includes(name) ? '' : '?'}`),
  ),
];
/** Upper bounds that an API server needs where the code has none: its rules cost by the length of a list. */
const withoutCeiling = (text: string) => text.replace(/,?"maxItems":(1000|5)\b/, '');
const specOf = (object: Schema): string[] =>
  lines(object.properties['spec'] ?? schema.parse({}), 'spec')
    .map(withoutCeiling)
    .sort();

describe('a custom resource that the API server takes is one that the services read', () => {
  test.each([
    ['games.gsb.dev.yaml', gameObject],
    ['operators.gsb.dev.yaml', operatorObject],
  ])('%s has the members, choices and bounds of the code', (file, object) => {
    expect(specOf(takenOf(file))).toEqual(specOf(readOf(object)));
  });

  test.each(['games.gsb.dev.yaml', 'operators.gsb.dev.yaml'])(
    'kubectl get shows every key and role of %s: a column has one result, the first',
    (file) => {
      const text = readFileSync(join(charts, file), 'utf8');
      const paths = [...text.matchAll(/jsonPath: '?(\.spec[^' ]*)/g)].map(([, path = '']) => path);
      expect(paths.filter((path) => path.includes('[*]'))).toEqual([]);
      expect(paths).toEqual(expect.arrayContaining(['.spec.keys[0].id', '.spec.keys[1].id']));
    },
  );

  test('an Operator may have each role, and all of them', () => {
    const roles = takenOf('operators.gsb.dev.yaml').properties['spec']?.properties['roles'];
    expect(roles?.items?.enum).toEqual([...operatorRoles]);
    expect(roles?.maxItems).toBe(operatorRoles.length);
  });
});

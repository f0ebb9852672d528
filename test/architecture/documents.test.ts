import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Document, Spectral } from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers';
import { z } from 'zod';
import { rules } from '../../.config/spectral.ts';
import { documents, written } from '../../deploy/generate/api-documents.ts';
import { send } from '../support/raw.ts';
import { theStack } from '../support/suite-stack.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, 'deploy/generate/api');
const all = Object.entries(documents());
const apis = ['launcher', 'game', 'settlement'] as const;

type Json = Record<string, unknown>;
type Found = [where: string, value: Json];

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every object below `node` that stands under one of these names, or is a member of one that does. */
const below = (node: unknown, where: string): Found[] =>
  isObject(node) || Array.isArray(node)
    ? Object.entries(node).flatMap(([name, child]) => [
        ...(isObject(child) ? [[`${where}/${name}`, child] as Found] : []),
        ...below(child, `${where}/${name}`),
      ])
    : [];

/** Examples are values and no part of the document; `properties` holds fields, not keywords. */
const isExample = (where: string) => /\/examples?(\/|$)/.test(where);
const everything = (document: unknown) => below(document, '').filter(([where]) => !isExample(where));

const membersOf = (document: unknown, keyword: string) =>
  everything(document).filter(([where]) => where.split('/').at(-2) === keyword);

/** What a schema calls an example: OpenAPI has one word for it, JSON Schema another. */
const examplesOf = (schema: Json): unknown[] =>
  'example' in schema ? [schema['example']] : ((schema['examples'] as unknown[] | undefined) ?? []);

const accepts = (schema: unknown, value: unknown) =>
  z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(value).success;

const isStructure = (schema: Json) =>
  schema['type'] === 'object' || schema['type'] === 'array' || 'oneOf' in schema || 'anyOf' in schema;

describe('the documents are made of the contracts', () => {
  test.each(all)('%s has not drifted (deploy/generate/main.ts writes it)', (name, document) => {
    expect(readFileSync(join(folder, name), 'utf8')).toBe(written(document));
  });

  test.each(apis)('%s serves its own, as it is, at /openapi.json', async (api) => {
    const { url } = (await theStack())[api];

    const answer = await send({ method: 'GET', url: `${url}/openapi.json` });

    const document = JSON.parse(written(documents()[`${api}.openapi.json`])) as unknown;
    expect([answer.status, answer.body]).toEqual([200, document]);
  });

  test.each(apis)('%s takes nothing but GET at /openapi.json', async (api) => {
    const { url } = (await theStack())[api];

    const answer = await send({ method: 'POST', url: `${url}/openapi.json`, body: '{}' });

    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect(answer.body).toMatchObject({ success: false, error: { code: 'METHOD_NOT_ALLOWED' } });
  });
});

describe.each(all)('in %s', (_, document) => {
  const fields = membersOf(document, 'properties');

  test('every field has a description', () => {
    expect(fields.length).toBeGreaterThan(10);
    expect(fields.filter(([, field]) => !field['description']).map(([where]) => where)).toEqual([]);
  });

  test('every field that is a value has an example that its own schema accepts', () => {
    const values = fields.filter(([, field]) => examplesOf(field).length > 0 || !isStructure(field));
    const wrong = values.filter(([, field]) => {
      const examples = examplesOf(field);
      return examples.length === 0 || !examples.every((example) => accepts(field, example));
    });

    expect(wrong.map(([where]) => where)).toEqual([]);
  });
});

describe.each(all.filter(([name]) => name.endsWith('openapi.json')))('in %s', (_, document) => {
  test('every operation says what it is for, who may call and what it answers', () => {
    const operations = everything(document).filter(([, value]) => 'operationId' in value);
    const silent = operations.filter(
      ([, it]) => !(it['summary'] && it['description'] && it['security'] && it['responses']),
    );

    expect(operations.length).toBeGreaterThan(0);
    expect(silent.map(([where]) => where)).toEqual([]);
  });

  test.each(['parameters', 'headers'])('every member of %s has a description and an example', (keyword) => {
    const wrong = membersOf(document, keyword).filter(
      ([, it]) => !it['description'] || !('example' in it) || !accepts(it['schema'], it['example']),
    );

    expect(wrong.map(([where]) => where)).toEqual([]);
  });

  test('every answer has a description, and examples that its own schema accepts', () => {
    const answers = membersOf(document, 'responses');
    const wrong = answers.filter(([, { description, content }]) => {
      const { schema, examples } = (content as Json)['application/json'] as Json;
      const values = Object.values(examples as Json).map((example) => (example as Json)['value']);
      return !description || values.length === 0 || !values.every((value) => accepts(schema, value));
    });

    expect(answers.length).toBeGreaterThan(0);
    expect(wrong.map(([where]) => where)).toEqual([]);
  });

  test('every request body has an example that its own schema accepts', () => {
    const wrong = everything(document)
      .filter(([where]) => where.endsWith('/requestBody'))
      .filter(([, { description, content }]) => {
        const { schema, example } = (content as Json)['application/json'] as Json;
        return !description || !accepts(schema, example);
      });

    expect(wrong.map(([where]) => where)).toEqual([]);
  });
});

/** What is said of the size of a body: in KiB. */
const kibOf = (text: unknown): string | undefined => /(\d+) KiB/.exec(JSON.stringify(text))?.[1];

test('of every operation a body that is too large is one larger than it takes (D-02, D-41)', () => {
  const operations = apis
    .flatMap((api) => everything(documents()[`${api}.openapi.json`]))
    .filter(([, value]) => 'requestBody' in value);
  const sizes = operations.map(([, { requestBody, responses }]) => {
    const { description, content } = (responses as Json)['413'] as Json;
    return [(requestBody as Json)['description'], description, content].map(kibOf);
  });

  expect(new Set(sizes.flat())).toEqual(new Set(['16', '512']));
  for (const [takes, ...refused] of sizes) expect(refused).toEqual([takes, takes]);
});

test('the 503 of a start may say with which time to sign again (D-44)', () => {
  const errorsOf = (where: string) => {
    const [, schema] = everything(documents()['launcher.openapi.json']).find(([at]) => at === where)!;
    return (schema as { properties: { error: { required: string[]; properties: Json } } }).properties.error;
  };
  const unavailable = (operation: string) =>
    errorsOf(`/paths${operation}/responses/503/content/application/json/schema`);
  const start = unavailable('//v1/session/start/post');

  expect(start.properties).toHaveProperty('server_time');
  expect(start.required).not.toContain('server_time');
  expect(unavailable('//v1/ott/post').properties).not.toHaveProperty('server_time');
});

test('every message of events.asyncapi.json has an example that its own schemas accept', () => {
  const messages = membersOf(documents()['events.asyncapi.json'], 'messages').filter(
    ([, it]) => 'payload' in it,
  );
  const wrong = messages.filter(([, { headers, payload, examples }]) => {
    const all = examples as Json[];
    return (
      all.length === 0 ||
      !all.every((each) => accepts(headers, each['headers']) && accepts(payload, each['payload']))
    );
  });

  expect(messages.length).toBeGreaterThan(20);
  expect(wrong.map(([where]) => where)).toEqual([]);
});

test.each(all)('an outside judge, spectral, finds nothing to say of %s', async (name, document) => {
  const judge = new Spectral();
  judge.setRuleset(rules);

  const findings = await judge.run(new Document(written(document), parsers.Json, name));

  expect(findings.map(({ code, message, path }) => `${code} at ${path.join('.')}: ${message}`)).toEqual([]);
});

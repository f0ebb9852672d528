import { z } from 'zod';

/** A JSON object of a document. */
export type Json = Record<string, unknown>;

/** The JSON Schema (draft 2020-12, as in OpenAPI 3.1) of a contract's schema. */
export const jsonSchema = (schema: z.ZodType): Json => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input' }) as Json;
  return rest;
};

/** The branches of a union, or the schema itself. */
export const branches = (schema: Json): Json[] =>
  ((schema['oneOf'] ?? schema['anyOf']) as Json[] | undefined) ?? [schema];

const isBare = (schema: Json) => !('example' in schema || 'const' in schema);

/** The example of a schema: its own, or one composed of its members' examples. Throws where a member has none. */
export const exampleOf = (schema: Json): unknown => {
  const [first = schema] = branches(schema);
  if (!isBare(schema)) return schema['example'] ?? schema['const'] ?? null;
  if (first !== schema) return exampleOf(first);
  if (schema['type'] === 'array') return [exampleOf(schema['items'] as Json)];
  if (schema['type'] !== 'object') throw new Error(`no example: ${JSON.stringify(schema)}`);
  const members = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
  return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member)]));
};

import type { z } from 'zod';
import type { Endpoint } from '#libs/contracts/endpoint.ts';
import { responsesOf } from './responses.ts';
import { schemesOf, securityOf } from './security-schemes.ts';
import { exampleOf, jsonSchema } from './schema.ts';
import type { Json } from './schema.ts';
import { descriptions, requestHeaders } from './operation-texts.ts';

/** One API: title, purpose and operations. */
export interface Api {
  readonly title: string;
  readonly description: string;
  readonly tag: string;
  readonly endpoints: readonly Endpoint[];
}

const parametersOf = ({ params, query, name }: Endpoint): Json[] => {
  const at = (where: string, shape: Record<string, z.ZodType>) =>
    Object.entries(shape).map(([parameter, field]) => {
      const { description, example, ...schema } = jsonSchema(field);
      const required = where === 'path' || !field.safeParse(undefined).success;
      return { in: where, name: parameter, required, description, schema, example };
    });
  return [
    ...at('path', params?.shape ?? {}),
    ...at('query', query?.shape ?? {}),
    ...(requestHeaders[name] ?? []),
  ];
};

const usualBodyBytes = 16_384;

const bodyOf = (body: z.ZodType, maxBytes = usualBodyBytes): Json => {
  const schema = jsonSchema(body);
  return {
    required: !body.safeParse(undefined).success,
    description: `JSON, at most ${maxBytes / 1024} KiB. Unknown fields are ignored.`,
    content: { 'application/json': { schema, example: exampleOf(schema) } },
  };
};

const operationOf = (endpoint: Endpoint, tag: string): Json => {
  const { name, summary, auth, body, maxBodyBytes } = endpoint;
  const parameters = parametersOf(endpoint);
  return {
    operationId: name,
    summary,
    description: descriptions[name],
    tags: [tag],
    security: securityOf(auth),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: bodyOf(body, maxBodyBytes) }),
    responses: responsesOf(endpoint),
  };
};

const pathOf = (path: string) => path.replace(/:([a-z_]+)/g, '{$1}');

/** The OpenAPI 3.1 document of an API, derived from its contracts. */
export const openapi = ({ title, description, tag, endpoints }: Api): Json => {
  const byPath = Map.groupBy(endpoints, ({ path }) => pathOf(path));
  const paths = [...byPath].map(([path, same]) => [
    path,
    Object.fromEntries(same.map((each) => [each.method.toLowerCase(), operationOf(each, tag)])),
  ]);
  return {
    openapi: '3.1.0',
    info: { title, description, version: '1', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/', description: 'The server that served this document.' }],
    tags: [{ name: tag, description }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: Object.fromEntries(endpoints.flatMap(({ auth }) => Object.entries(schemesOf[auth]))),
    },
  };
};

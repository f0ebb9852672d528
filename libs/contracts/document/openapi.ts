import type { z } from 'zod';
import type { Auth, Endpoint } from '../endpoint.ts';
import { failure, success } from '../envelope.ts';
import { errors } from '../errors.ts';
import type { ErrorCode } from '../errors.ts';
import { jsonSchema } from './schema.ts';
import type { Json } from './schema.ts';

/** One API: its title, what it is for, and its operations. */
export interface Api {
  readonly title: string;
  readonly description: string;
  readonly endpoints: readonly Endpoint[];
}

/** What every operation may refuse with, beside its own codes. */
const shared: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'HEADERS_TOO_LARGE',
  'INTERNAL',
];

const requestId = 'req_0f9d3c1e5b7a4d2c8e6f1a3b5c7d9e0f';

const securitySchemes: Record<Exclude<Auth, 'none'>, Json> = {
  'api-key': {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'The per-game API key (spec part 5).',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'Signature',
    description:
      'RFC 9421, hmac-sha256, label sig1, over @method @authority @path content-digest, with Signature-Input and Content-Digest (D-14).',
  },
  'session-token': {
    type: 'http',
    scheme: 'bearer',
    description: 'The session_token of session start (D-13).',
  },
};

const headers = (status: number): Json => ({
  'X-Request-Id': {
    description: 'The request_id of the body.',
    schema: { type: 'string' },
    example: requestId,
  },
  ...([429, 503].includes(status) && {
    'Retry-After': {
      description: 'Seconds until it is worth trying again.',
      schema: { type: 'integer' },
      example: 1,
    },
  }),
});

const answer = (status: number, description: string, schema: z.ZodType, examples?: Json): Json => ({
  description,
  headers: headers(status),
  content: { 'application/json': { schema: jsonSchema(schema), ...(examples && { examples }) } },
});

const errorAnswers = (codes: readonly ErrorCode[]): Json => {
  const byStatus = Map.groupBy(new Set(codes), (code) => errors[code].status);
  const one = (status: number, same: readonly ErrorCode[]): Json => {
    const example = (code: ErrorCode) => ({
      value: { success: false, request_id: requestId, error: { code, message: errors[code].message } },
    });
    const examples = Object.fromEntries(same.map((code) => [code, example(code)]));
    return answer(
      status,
      same.map((code) => `${code}: ${errors[code].message}`).join(' '),
      failure,
      examples,
    );
  };
  return Object.fromEntries([...byStatus].map(([status, same]) => [String(status), one(status, same)]));
};

const parameters = ({ params, name }: Endpoint): Json[] => {
  const idempotency = {
    in: 'header',
    name: 'Idempotency-Key',
    required: false,
    description: 'The same key and body within five minutes hears the same answer (D-15).',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
    example: '6f1c2b7e-join-42',
  };
  const inPath = Object.entries(params?.shape ?? {}).map(([parameter, schema]) => {
    const { description, example, ...rest } = jsonSchema(schema as z.ZodType);
    return { in: 'path', name: parameter, required: true, description, schema: rest, example };
  });
  return [...inPath, ...(name === 'verify' ? [idempotency] : [])];
};

const operation = (endpoint: Endpoint): Json => {
  const { name, summary, auth, body, data } = endpoint;
  return {
    operationId: name,
    summary,
    ...(auth !== 'none' && { security: [{ [auth]: [] }] }),
    ...(parameters(endpoint).length > 0 && { parameters: parameters(endpoint) }),
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { 'application/json': { schema: jsonSchema(body) } },
      },
    }),
    responses: {
      '200': answer(200, 'Success.', success(data)),
      ...errorAnswers([...shared, ...endpoint.errors]),
    },
  };
};

const pathOf = (path: string) => path.replace(/:([a-z_]+)/g, '{$1}');

/** The OpenAPI 3.1 document of an API, made of its contracts. */
export const openapi = ({ title, description, endpoints }: Api): Json => {
  const used = endpoints.map(({ auth }) => auth).filter((auth) => auth !== 'none');
  const paths = Object.fromEntries(
    endpoints.map((each) => [pathOf(each.path), { [each.method.toLowerCase()]: operation(each) }]),
  );
  return {
    openapi: '3.1.0',
    info: { title, description, version: '1', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/', description: 'The server that gave you this document.' }],
    paths,
    components: { securitySchemes: Object.fromEntries(used.map((auth) => [auth, securitySchemes[auth]])) },
  };
};

import { z } from 'zod';
import type { Endpoint } from '#libs/contracts/endpoint.ts';
import { failure, success } from '#libs/contracts/envelope.ts';
import { errors, largerThan } from '#libs/contracts/errors.ts';
import type { ErrorCode } from '#libs/contracts/errors.ts';
import { methodsOf } from '#libs/http/request-path.ts';
import { branches, exampleOf, jsonSchema } from './schema.ts';
import type { Json } from './schema.ts';

const requestId = 'req_0f9d3c1e5b7a4d2c8e6f1a3b5c7d9e0f';
const serverTime = '2026-11-20T09:00:00.000Z';

/** The error codes that every operation may respond with, beside its own (D-02). */
const shared: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'HEADERS_TOO_LARGE',
  'INTERNAL',
];

const withRetryAfter: readonly ErrorCode[] = ['REQUEST_IN_FLIGHT', 'RATE_LIMITED', 'UNAVAILABLE'];

const header = (description: string, schema: Json, example: unknown): Json => ({
  description,
  required: true,
  schema,
  example,
});

/** Of a limit that comes back by itself; what one caller holds has none. */
const limitHeaders: Json = {
  'RateLimit-Policy': {
    ...header(
      'The limit that was reached (D-42): its name, how much it allows at once (q), and in how many seconds all of it comes back (w).',
      { type: 'string', pattern: '^"[a-z-]+";q=\\d+;w=\\d+$' },
      '"tokens-pc";q=20;w=60',
    ),
    required: false,
  },
  RateLimit: {
    ...header(
      'That nothing is left of it (r), and the seconds until something is (t).',
      { type: 'string', pattern: '^"[a-z-]+";r=0;t=\\d+$' },
      '"tokens-pc";r=0;t=3',
    ),
    required: false,
  },
};

const headers = (codes: readonly ErrorCode[], endpoint: Endpoint): Json => ({
  'X-Request-Id': header(
    'The request_id of the body.',
    { type: 'string', pattern: '^req_[0-9a-f]{32}$' },
    requestId,
  ),
  ...(codes.some((code) => withRetryAfter.includes(code)) && {
    'Retry-After': {
      ...header('Seconds to wait before a retry.', { type: 'integer', minimum: 1 }, 1),
      required: codes.every((code) => withRetryAfter.includes(code)),
    },
  }),
  ...(codes.includes('RATE_LIMITED') && limitHeaders),
  ...(codes.includes('METHOD_NOT_ALLOWED') && {
    Allow: header('The methods that the path supports.', { type: 'string' }, methodsOf(endpoint).join(', ')),
  }),
});

const content = (schema: Json, examples: Json): Json => ({ 'application/json': { schema, examples } });

const timeOf = (description: string) => z.iso.datetime().meta({ description, example: serverTime });

/** The server's clock, which a refusal of a signature has, and an error of ours may have (D-14, D-44). */
const serverTimeOf = (codes: readonly ErrorCode[], { auth }: Endpoint) => {
  if (codes.includes('INVALID_SIGNATURE'))
    return {
      server_time: timeOf("The server's clock, RFC 3339: if yours differs, sign again with this time."),
    };
  if (auth !== 'signature' || !codes.includes('UNAVAILABLE')) return {};
  const description = "The server's clock, RFC 3339: if it is there, sign again with this time (D-44).";
  return { server_time: timeOf(description).optional() };
};

/** The schema of the error body (D-01) that has one of these codes. */
const failureWith = (codes: readonly ErrorCode[], endpoint: Endpoint) => {
  const { code, message } = failure.shape.error.shape;
  const members = {
    code: z.enum(codes).meta({ description: code.description ?? '', example: codes[0] }),
    message,
    ...serverTimeOf(codes, endpoint),
  };
  return failure.extend({ error: z.object(members).loose().meta({ description: 'What went wrong.' }) });
};

const messageOf = (code: ErrorCode, { maxBodyBytes }: Endpoint): string =>
  code === 'PAYLOAD_TOO_LARGE' && maxBodyBytes !== undefined
    ? largerThan(maxBodyBytes)
    : errors[code].message;

const failureExample = (code: ErrorCode, endpoint: Endpoint): Json => ({
  summary: messageOf(code, endpoint),
  value: {
    success: false,
    request_id: requestId,
    error: {
      code,
      message: messageOf(code, endpoint),
      ...(code === 'INVALID_SIGNATURE' && { server_time: serverTime }),
    },
  },
});

const failureResponse = (codes: readonly ErrorCode[], endpoint: Endpoint): Json => ({
  description: codes.map((code) => `${code}: ${messageOf(code, endpoint)}`).join(' '),
  headers: headers(codes, endpoint),
  content: content(
    jsonSchema(failureWith(codes, endpoint)),
    Object.fromEntries(codes.map((code) => [code, failureExample(code, endpoint)])),
  ),
});

const csvContent = ({ description, example }: NonNullable<Endpoint['csv']>): Json => ({
  'text/csv': { schema: { type: 'string', description }, example },
});

const successResponse = (endpoint: Endpoint): Json => {
  const { data, csv } = endpoint;
  const schema = jsonSchema(success(data.meta({ description: 'The data of the response.' })));
  const examples = branches(jsonSchema(data)).map((branch, index): [string, Json] => {
    const summary = branch['title'] ?? 'Success';
    const value = { success: true, request_id: requestId, data: exampleOf(branch) };
    return [`success-${index + 1}`, { summary, value }];
  });
  return {
    description: 'Success.',
    headers: headers([], endpoint),
    content: { ...content(schema, Object.fromEntries(examples)), ...(csv && csvContent(csv)) },
  };
};

/** The responses of an operation: one for each status, with the error codes that it can have. */
export const responsesOf = (endpoint: Endpoint): Json => {
  const codes = new Set([...shared, ...endpoint.errors]);
  const byStatus = Map.groupBy(codes, (code) => errors[code].status);
  const failures = [...byStatus].map(([status, same]): [string, Json] => [
    String(status),
    failureResponse(same, endpoint),
  ]);
  return { '200': successResponse(endpoint), ...Object.fromEntries(failures) };
};

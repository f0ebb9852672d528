import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { Refusal } from '#libs/contracts/errors.ts';

/** The largest request body, in bytes (D-02). */
export const maxBodyBytes = 16_384;

const utf8 = new TextDecoder('utf-8', { fatal: true });
const badRequest = (message: string) => new Refusal('BAD_REQUEST', { message });

const tooLarge = (limit: number) =>
  new Refusal('PAYLOAD_TOO_LARGE', { message: `The body is larger than ${limit / 1024} KiB.` });

/** The bytes of a request body, as sent. Throws PAYLOAD_TOO_LARGE, or BAD_REQUEST when the connection ended before the whole body came. */
export const readBody = async (request: IncomingMessage, limit = maxBodyBytes): Promise<Buffer> => {
  try {
    return await getRawBody(request, {
      limit,
      length: request.headers['content-length'] ?? null,
    });
  } catch (error) {
    // What is too long is left paused, and Node lets go of nothing that somebody has begun to read: the connection would be read no more.
    request.resume();
    const type = error instanceof Error && 'type' in error ? error.type : undefined;
    throw type === 'entity.too.large' ? tooLarge(limit) : badRequest('The body did not arrive whole.');
  }
};

const parseJson = (raw: Buffer): unknown => {
  try {
    return JSON.parse(utf8.decode(raw)) as unknown;
  } catch {
    throw badRequest('The body is not JSON.');
  }
};

/** How deep JSON may be nested (D-44). */
const maxDepth = 8;

const isDeeper = (value: unknown, than: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (than === 0 || Object.values(value).some((member) => isDeeper(member, than - 1)));

/** Parses a JSON body; undefined for an empty one. Throws BAD_REQUEST for another content type, invalid UTF-8, or JSON that is invalid (D-02) or too deep (D-44). */
export const parseBody = (raw: Buffer, contentType: string | undefined): unknown => {
  if (raw.length === 0) return undefined;
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? '')) {
    throw badRequest('The Content-Type must be application/json.');
  }
  const value = parseJson(raw);
  if (isDeeper(value, maxDepth)) throw badRequest(`The body is nested more than ${maxDepth} deep.`);
  return value;
};

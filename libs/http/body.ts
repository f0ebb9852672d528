import type { IncomingMessage } from 'node:http';
import { Refusal, largerThan } from '#libs/contracts/errors.ts';

/** The largest request body, in bytes (D-02). */
export const maxBodyBytes = 16_384;

const utf8 = new TextDecoder('utf-8', { fatal: true });
const badRequest = (message: string) => new Refusal('BAD_REQUEST', { message });

const tooLarge = (limit: number) => new Refusal('PAYLOAD_TOO_LARGE', { message: largerThan(limit) });

/**
 * At most so many bytes one after the other, in one buffer: a caller may send each as a piece of its own, and a piece that is kept takes hundreds
 * more. The buffer is no part of those that Node shares out, which each keep 64 KiB.
 */
const createGathered = (most: number) => {
  let gathered: Buffer = Buffer.alloc(0);
  let length = 0;
  const grow = (needed: number): void => {
    const larger = Buffer.allocUnsafeSlow(Math.min(2 * needed, most));
    gathered.copy(larger, 0, 0, length);
    gathered = larger;
  };
  return {
    /** Whether there was room for it. */
    add: (piece: Buffer): boolean => {
      const needed = length + piece.length;
      if (needed > most) return false;
      if (length === 0) gathered = piece;
      else {
        if (needed > gathered.length) grow(needed);
        piece.copy(gathered, length);
      }
      length = needed;
      return true;
    },
    bytes: (): Buffer => gathered.subarray(0, length),
  };
};

/** The bytes of a request body, as sent. Throws PAYLOAD_TOO_LARGE, or BAD_REQUEST when the connection ended before the whole body came. */
export const readBody = (request: IncomingMessage, limit = maxBodyBytes): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const announced = Number(request.headers['content-length'] ?? limit);
    const gathered = createGathered(Math.min(announced, limit));
    let isWhole = false;
    const fail = (refusal: Refusal): void => {
      request.off('data', take);
      // What is left is read, and thrown away: otherwise the connection would be read no more.
      request.resume();
      reject(refusal);
    };
    const take = (piece: Buffer): void => {
      if (!gathered.add(piece)) fail(tooLarge(limit));
    };
    const failBroken = (): void => {
      if (!isWhole) fail(badRequest('The body did not arrive whole.'));
    };
    if (announced > limit) return fail(tooLarge(limit));
    if (!request.readable) return failBroken();
    request.on('data', take);
    request.once('close', failBroken);
    request.once('end', () => {
      isWhole = true;
      resolve(gathered.bytes());
    });
  });

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

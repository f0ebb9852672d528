import type { z } from 'zod';
import { Refusal, asRefusal, errors } from '#libs/contracts/errors.ts';
import type { RefusalDetails } from '#libs/contracts/errors.ts';

/** A response: status, headers, and the envelope of spec 2.3 (success) or D-01 (error). */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What every response says: it is what its Content-Type names, and for its caller alone (D-44). */
export const onEveryResponse = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' };

const json = { ...onEveryResponse, 'Content-Type': 'application/json; charset=utf-8' };

/** The response of what is the same for everybody, and no envelope. */
export const documentResponse = (body: unknown): Response => ({ status: 200, headers: json, body });

/** The response of every 200 (spec 2.3). */
export const successResponse = (requestId: string, data: unknown): Response => ({
  status: 200,
  headers: { ...json, 'X-Request-Id': requestId },
  body: { success: true, request_id: requestId, data },
});

/** The reached limit as draft-ietf-httpapi-ratelimit-headers writes it: its policy, and that nothing is left for so many seconds (D-42). */
const limitHeaders = ({ limit, retryAfterSec = 1 }: RefusalDetails): Record<string, string> =>
  limit === undefined
    ? {}
    : {
        'RateLimit-Policy': `"${limit.name}";q=${limit.burst};w=${Math.ceil(limit.windowSec)}`,
        RateLimit: `"${limit.name}";r=0;t=${retryAfterSec}`,
      };

/** The response of every error (D-01). Anything but a Refusal is a bug: 500 with a fixed text that reveals nothing. */
export const errorResponse = (requestId: string, error: unknown): Response => {
  const refusal = asRefusal(error);
  const { retryAfterSec, members } = refusal.details;
  return {
    status: errors[refusal.code].status,
    headers: {
      ...json,
      'X-Request-Id': requestId,
      ...(retryAfterSec !== undefined && { 'Retry-After': String(retryAfterSec) }),
      ...limitHeaders(refusal.details),
    },
    body: {
      success: false,
      request_id: requestId,
      error: { code: refusal.code, message: refusal.message, ...members },
    },
  };
};

/** BAD_REQUEST with the problem of each field, at most ten; never their values. */
export const badRequest = (error: z.ZodError): Refusal => {
  const problems = error.issues
    .slice(0, 10)
    .map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  return new Refusal('BAD_REQUEST', { message: problems.join('; ') });
};

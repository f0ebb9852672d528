import type { z } from 'zod';
import { Refusal, errors } from '#libs/contracts/errors.ts';

/** What goes back to a caller: status, headers and the envelope of spec 2.3 or D-01. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const json = { 'Content-Type': 'application/json; charset=utf-8' };

/** Spec 2.3: every 200. */
export const successResponse = (requestId: string, data: unknown): Response => ({
  status: 200,
  headers: { ...json, 'X-Request-Id': requestId },
  body: { success: true, request_id: requestId, data },
});

/** D-01: every error. What is not a refusal is a bug and says nothing of itself. */
export const errorResponse = (requestId: string, error: unknown): Response => {
  const refusal = error instanceof Refusal ? error : new Refusal('INTERNAL');
  const { retryAfterSec, members } = refusal.details;
  return {
    status: errors[refusal.code].status,
    headers: {
      ...json,
      'X-Request-Id': requestId,
      ...(retryAfterSec !== undefined && { 'Retry-After': String(retryAfterSec) }),
    },
    body: {
      success: false,
      request_id: requestId,
      error: { code: refusal.code, message: refusal.message, ...members },
    },
  };
};

/** What is wrong with a request, field by field; values are never repeated. */
export const badRequest = (error: z.ZodError): Refusal => {
  const problems = error.issues
    .slice(0, 10)
    .map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  return new Refusal('BAD_REQUEST', { message: problems.join('; ') });
};

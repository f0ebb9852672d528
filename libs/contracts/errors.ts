import type { RateLimit } from '#libs/kernel/rate.ts';

/** Every error that a caller can receive, with its HTTP status and fixed text (spec 7, D-01, D-02, D-13). */
export const errors = {
  BAD_REQUEST: { status: 400, message: 'The request is not as the contract says.' },
  INVALID_API_KEY: { status: 401, message: 'The API key is missing or not valid.' },
  INVALID_SIGNATURE: { status: 401, message: 'The signature of the request is missing or not valid.' },
  INVALID_OPERATOR_KEY: { status: 401, message: 'The operator key is missing or not valid.' },
  INVALID_SESSION_TOKEN: { status: 401, message: 'The session token is missing or no longer valid.' },
  FORBIDDEN: { status: 403, message: 'The operator key does not allow this.' },
  NOT_PC_CAFE: { status: 403, message: 'The address of this request is not one of the PC cafe.' },
  NOT_FOUND: { status: 404, message: 'There is nothing at this path.' },
  GAME_NOT_FOUND: { status: 404, message: 'The game is not known.' },
  SESSION_NOT_FOUND: { status: 404, message: 'The game session is not known: it expired or never was.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'The path does not take this method.' },
  REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive.' },
  ALREADY_ENDED: { status: 409, message: 'The game session has already ended.' },
  REQUEST_IN_FLIGHT: { status: 409, message: 'A request with this Idempotency-Key is still being answered.' },
  SESSION_ENDED: { status: 410, message: 'The game session has ended.' },
  SESSION_ENDING: { status: 410, message: 'The game session is ending.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is larger than 16 KiB.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: 'This Idempotency-Key was used with another body.' },
  RATE_LIMITED: { status: 429, message: 'Too many requests; try again later.' },
  HEADERS_TOO_LARGE: { status: 431, message: 'The headers are larger than 8 KiB.' },
  INTERNAL: { status: 500, message: 'Something went wrong on our side.' },
  UNAVAILABLE: { status: 503, message: 'The service cannot answer right now; try again shortly.' },
} as const satisfies Record<string, { status: number; message: string }>;

/** What a PAYLOAD_TOO_LARGE says where the endpoint takes so many bytes (D-02). */
export const largerThan = (mostBytes: number): string => `The body is larger than ${mostBytes / 1024} KiB.`;

/** The code of an error. */
export type ErrorCode = keyof typeof errors;

/** What a refusal may add: the value of Retry-After, the limit that was reached, a more exact message, further members of `error`. */
export interface RefusalDetails {
  readonly retryAfterSec?: number;
  readonly limit?: RateLimit;
  readonly message?: string;
  readonly members?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Thrown by a use case to respond with one of `errors`; any other error is a bug and becomes INTERNAL. It has no stack: that takes 10 µs, and nobody reads it. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly details: RefusalDetails;

  constructor(code: ErrorCode, details: RefusalDetails = {}) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(
      details.message ?? errors[code].message,
      details.cause === undefined ? {} : { cause: details.cause },
    );
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'Refusal';
    this.code = code;
    this.details = details;
  }
}

/** The refusal that an error is; of a bug INTERNAL. */
export const asRefusal = (error: unknown): Refusal =>
  error instanceof Refusal ? error : new Refusal('INTERNAL');

/** 503 with Retry-After: Redis, Postgres, Kafka or another service did not respond in time. */
export const unavailable = (cause?: unknown): Refusal =>
  new Refusal('UNAVAILABLE', { retryAfterSec: 1, cause });

/** 429 with Retry-After and the limit that was reached (D-42). `waitMs`: until there is a token again. */
export const rateLimited = (limit: RateLimit, waitMs: number): Refusal =>
  new Refusal('RATE_LIMITED', { retryAfterSec: Math.max(1, Math.ceil(waitMs / 1000)), limit });

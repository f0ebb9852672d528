import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Camel } from './wire.ts';

/** How a caller authenticates, which libs/http checks before the use case runs. */
export type Auth = 'api-key' | 'signature' | 'session-token' | 'operator-key' | 'none';

/** Which requests are refused before others when a process cannot keep up (D-46). */
export type Shed = 'first' | 'second' | 'third' | 'last';

/** The contract of one HTTP operation (spec 4, D-13): validation, types and documentation are derived from it. Under `/v1` what callers build on stays (D-59). */
export interface Endpoint {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly auth: Auth;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Left out when the operation takes no body. */
  readonly body?: z.ZodType;
  /** When it is refused by a process that cannot keep up; last by default. */
  readonly shed?: Shed;
  /** The largest request body, in bytes, where that is not the usual one (D-02). */
  readonly maxBodyBytes?: number;
  readonly data: z.ZodType;
  /** The same data as text/csv, for requests that accept it. */
  readonly csv?: { readonly description: string; readonly example: string };
  /** The error codes that it may respond with, beside those that every endpoint shares. */
  readonly errors: readonly ErrorCode[];
}

/** Checks a contract's shape without widening its type. */
export const endpoint = <const E extends Endpoint>(contract: E): E => contract;

type Parsed<S> = S extends z.ZodType ? Camel<z.output<S>> : undefined;

/** The parsed request body of an operation, as a use case receives it. */
export type Body<E extends Endpoint> = Parsed<E['body']>;

/** The response data of an operation, as a use case returns it. */
export type Data<E extends Endpoint> = Camel<z.output<E['data']>>;

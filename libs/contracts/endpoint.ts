import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Camel } from './wire.ts';

/** Who may call: what the driver asks for before the use case hears anything. */
export type Auth = 'api-key' | 'signature' | 'session-token' | 'none';

/** One operation at an edge: the check, the type and the document in one (spec part 4, contract of the launcher API). */
export interface Endpoint {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly auth: Auth;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Absent: the operation takes no body. */
  readonly body?: z.ZodType;
  readonly data: z.ZodType;
  /** The same as text/csv, to who accepts that. */
  readonly csv?: { readonly description: string; readonly example: string };
  /** What it may refuse with, beside the codes that every endpoint shares. */
  readonly errors: readonly ErrorCode[];
}

/** Keeps the exact type of a contract while checking its shape. */
export const endpoint = <const E extends Endpoint>(contract: E): E => contract;

type Inside<S> = S extends z.ZodType ? Camel<z.output<S>> : undefined;

/** The body of an operation, as a use case hears it. */
export type Body<E extends Endpoint> = Inside<E['body']>;

/** The answer of an operation, as a use case gives it. */
export type Data<E extends Endpoint> = Camel<z.output<E['data']>>;

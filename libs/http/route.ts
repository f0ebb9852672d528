import { z } from 'zod';
import type { Auth, Body, Data, Endpoint } from '#libs/contracts/endpoint.ts';
import { fromWire, toWire } from '#libs/contracts/wire.ts';
import type { TurnLength } from '#libs/runtime/turns.ts';
import { badRequest } from './responses.ts';
import { parseBody } from './body.ts';
import type { IncomingRequest } from './incoming-request.ts';

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** The input of a use case: the authenticated caller and the parsed request. Params and query keep their wire names. */
export interface Call<E extends Endpoint, Caller> {
  readonly caller: Caller;
  readonly body: Body<E>;
  readonly params: Parsed<E['params']>;
  readonly query: Parsed<E['query']>;
  readonly incoming: IncomingRequest;
}

/** An endpoint and the use case that implements it. */
export interface Route {
  readonly contract: Endpoint;
  /** Parses the request, runs the use case and checks its result against the contract. Resolves to the response's `data` in wire form. */
  readonly handle: (caller: unknown, incoming: IncomingRequest, raw: RawParameters) => Promise<unknown>;
  /** How long its requests gather now where they come one upon another, asked once for each; the usual time where it does not tell (D-56). */
  readonly gathers?: () => TurnLength;
  /** Whether `handle` resolves to a `Streamed` body instead of `data`. */
  readonly streams?: boolean;
}

/** A body too large for memory, written chunk by chunk. When `chunks` rejects the connection is cut, so the client sees that it is incomplete. */
export interface Streamed {
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<string>;
}

/** By kind of authentication: resolves to the caller, or throws a Refusal. `route`: the path of the endpoint, with names for its parameters. */
export type Authenticate = Partial<
  Record<Auth, (incoming: IncomingRequest, route: string) => Promise<unknown>>
>;

/** Path parameters and query, not parsed yet. */
export interface RawParameters {
  readonly params: unknown;
  readonly query: unknown;
}

/** What `parse` returns; BAD_REQUEST where it throws a ZodError. */
export const parseOrRefuse = <T>(parse: () => T): T => {
  try {
    return parse();
  } catch (error) {
    throw error instanceof z.ZodError ? badRequest(error) : error;
  }
};

const parseCall = (contract: Endpoint, caller: unknown, incoming: IncomingRequest, raw: RawParameters) => {
  const { body, params, query } = contract;
  const value = body && parseBody(incoming.rawBody, incoming.headers['content-type']);
  return parseOrRefuse(() => ({
    caller,
    incoming,
    body: body && fromWire(body, value),
    params: params?.parse(raw.params),
    query: query?.parse(raw.query),
  }));
};

/** Binds a use case to its endpoint; its result is checked against the contract before it is sent. */
export const route = <E extends Endpoint, Caller = undefined>(
  contract: E,
  useCase: (call: Call<E, Caller>) => Promise<Data<E>>,
): Route => ({
  contract,
  handle: async (caller, incoming, raw) => {
    const call = parseCall(contract, caller, incoming, raw);
    return contract.data.parse(toWire(await useCase(call as Call<E, Caller>)));
  },
});

/** Binds a use case that streams its whole body, envelope included; a Refusal thrown before the first chunk becomes a normal error response. */
export const streamRoute = <E extends Endpoint, Caller = undefined>(
  contract: E,
  useCase: (call: Call<E, Caller>) => Promise<Streamed>,
): Route => ({
  contract,
  streams: true,
  handle: async (caller, incoming, raw) =>
    useCase(parseCall(contract, caller, incoming, raw) as Call<E, Caller>),
});

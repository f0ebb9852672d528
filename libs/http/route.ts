import { z } from 'zod';
import type { Body, Data, Endpoint } from '#libs/contracts/endpoint.ts';
import { fromWire, toWire } from '#libs/contracts/wire.ts';
import { badRequest } from './responses.ts';
import { parseBody } from './body.ts';
import type { IncomingRequest } from './incoming-request.ts';

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a use case hears: who calls, and what for. Params and query keep their wire names. */
export interface Call<E extends Endpoint, Caller> {
  readonly caller: Caller;
  readonly body: Body<E>;
  readonly params: Parsed<E['params']>;
  readonly query: Parsed<E['query']>;
  readonly incoming: IncomingRequest;
}

/** A contract and the use case that fulfils it. */
export interface Route {
  readonly contract: Endpoint;
  /** Parses, runs and parses again: the answer's `data` on the wire. */
  readonly handle: (caller: unknown, incoming: IncomingRequest, raw: RawParameters) => Promise<unknown>;
  /** Whether the answer is a `Streamed` and no data. */
  readonly streams?: boolean;
}

/** A body that is too long to be held: written as it comes. Ends early, and so visibly unfinished, when the chunks reject. */
export interface Streamed {
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<string>;
}

/** What the path and its query say, unparsed. */
export interface RawParameters {
  readonly params: unknown;
  readonly query: unknown;
}

const parseOrRefuse = <T>(parse: () => T): T => {
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

/** Binds a use case to its contract: whatever it answers is checked against the contract before it leaves. */
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

/** Binds a use case that writes its whole body itself, envelope and all; a refusal before the first chunk is answered as any other. */
export const streamRoute = <E extends Endpoint, Caller = undefined>(
  contract: E,
  useCase: (call: Call<E, Caller>) => Promise<Streamed>,
): Route => ({
  contract,
  streams: true,
  handle: async (caller, incoming, raw) =>
    useCase(parseCall(contract, caller, incoming, raw) as Call<E, Caller>),
});

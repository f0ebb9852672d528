import { z } from 'zod';
import type { Body, Data, Endpoint } from '#libs/contracts/endpoint.ts';
import { fromWire, toWire } from '#libs/contracts/wire.ts';
import { badRequest } from './answers.ts';
import { parseBody } from './body.ts';
import type { Incoming } from './incoming.ts';

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a use case hears: who calls, and what for. Params and query keep their wire names. */
export interface Call<E extends Endpoint, Caller> {
  readonly caller: Caller;
  readonly body: Body<E>;
  readonly params: Parsed<E['params']>;
  readonly query: Parsed<E['query']>;
  readonly incoming: Incoming;
}

/** A contract and the use case that fulfils it. */
export interface Route {
  readonly contract: Endpoint;
  /** Parses, runs and parses again: the answer's `data` on the wire. */
  readonly answer: (caller: unknown, incoming: Incoming, asked: Asked) => Promise<unknown>;
}

/** What the path and its query say, unparsed. */
export interface Asked {
  readonly params: unknown;
  readonly query: unknown;
}

const parsed = <T>(parse: () => T): T => {
  try {
    return parse();
  } catch (error) {
    throw error instanceof z.ZodError ? badRequest(error) : error;
  }
};

/** Binds a use case to its contract: whatever it answers is checked against the contract before it leaves. */
export const route = <E extends Endpoint, Caller = undefined>(
  contract: E,
  useCase: (call: Call<E, Caller>) => Promise<Data<E>>,
): Route => ({
  contract,
  answer: async (caller, incoming, asked) => {
    const { body, params, query } = contract;
    const value = body && parseBody(incoming.rawBody, incoming.headers['content-type']);
    const call = parsed(() => ({
      caller,
      incoming,
      body: body && fromWire(body, value),
      params: params?.parse(asked.params),
      query: query?.parse(asked.query),
    }));
    return contract.data.parse(toWire(await useCase(call as Call<E, Caller>)));
  },
});

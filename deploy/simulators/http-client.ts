import type { z } from 'zod';
import { failure, success } from '#libs/contracts/envelope.ts';
import type { Endpoint } from '#libs/contracts/endpoint.ts';
import { fromWire, toWire } from '#libs/contracts/wire.ts';
import type { Camel } from '#libs/contracts/wire.ts';

const timeoutMs = 10_000;

/** What came back, as a client sees it: the data of a success, or the error; and how long it took, in ms. */
export type Heard<T> =
  | { readonly ok: true; readonly status: number; readonly data: T; readonly tookMs: number }
  | {
      readonly ok: false;
      readonly status: number;
      readonly code: string;
      readonly message: string;
      readonly tookMs: number;
    };

/** What sends a request. */
export type Fetch = typeof globalThis.fetch;

/** One request to an edge. `body` is sent as given, so that its bytes can be signed. */
export interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** How requests leave; the system's fetch unless said. */
  readonly via?: Fetch | undefined;
}

/** A body as it stands on the wire. */
export const bodyText = (value: unknown): string => JSON.stringify(toWire(value));

/** Calls one operation and parses whatever comes back with its contract. Throws when nothing, or something undocumented, does. */
export const call = async <E extends Endpoint>(
  contract: E,
  { url, headers, body, via = fetch }: Outgoing,
): Promise<Heard<Camel<z.output<E['data']>>>> => {
  const started = performance.now();
  const response = await via(url + contract.path, {
    method: contract.method,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    body: body ?? null,
    signal: AbortSignal.timeout(timeoutMs),
  });
  const json: unknown = await response.json();
  const tookMs = performance.now() - started;
  const { status } = response;
  if (status === 200)
    return { ok: true, status, tookMs, data: fromWire(success(contract.data), json).data as never };
  const { error } = failure.parse(json);
  return { ok: false, status, tookMs, code: error.code, message: error.message };
};

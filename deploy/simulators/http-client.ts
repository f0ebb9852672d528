import type { z } from 'zod';
import { failure, success } from '#libs/contracts/envelope.ts';
import type { Endpoint } from '#libs/contracts/endpoint.ts';
import { fromWire, toWire } from '#libs/contracts/wire.ts';
import type { Camel } from '#libs/contracts/wire.ts';

const timeoutMs = 10_000;

/** What a client receives: the data of a success, or the error; and how long it took, in ms. */
export type CallResult<T> =
  | {
      readonly ok: true;
      readonly status: number;
      readonly requestId: string;
      readonly data: T;
      readonly tookMs: number;
    }
  | {
      readonly ok: false;
      readonly status: number;
      readonly requestId: string;
      readonly code: string;
      readonly message: string;
      readonly tookMs: number;
    };

/** What sends a request. */
export type Fetch = typeof globalThis.fetch;

/** One request to a public API. `body` is sent as given, so that its bytes can be signed. */
export interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** What sends it; the system's fetch by default. */
  readonly via?: Fetch | undefined;
}

/** A body as it stands on the wire. */
export const bodyText = (value: unknown): string => JSON.stringify(toWire(value));

/** Calls one operation and parses the response with its contract. Throws after 10 s without a response, and on one that is not documented. */
export const call = async <E extends Endpoint>(
  contract: E,
  { url, headers, body, via = fetch }: Outgoing,
): Promise<CallResult<Camel<z.output<E['data']>>>> => {
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
  if (status === 200) {
    const { requestId, data } = fromWire(success(contract.data), json);
    return { ok: true, status, requestId, tookMs, data: data as never };
  }
  const { request_id: requestId, error } = failure.parse(json);
  return { ok: false, status, requestId, tookMs, code: error.code, message: error.message };
};

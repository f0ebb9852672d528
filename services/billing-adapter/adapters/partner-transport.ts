import { SpanKind } from '@opentelemetry/api';
import { Pool } from 'undici';
import { tunnelThrough } from '#libs/http/proxy-tunnel.ts';
import type { HttpProxy } from '#libs/http/proxy-tunnel.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { inSpan, injectTrace } from '#libs/runtime/tracing.ts';
import { bounds, createPartnerCircuit } from './circuit-breakers.ts';
import type { InFlight, Operation } from './circuit-breakers.ts';
import type { Unknown } from '../ports.ts';
import { exchange } from './exchange.ts';
import { unknown } from './parse-partner-response.ts';
import type { PartnerResponse } from './parse-partner-response.ts';

const connectTimeoutMs = 2_000;
/** Less than any call has, so that a call that fails because of the proxy says so. */
const tunnelTimeoutMs = 1_500;
const maxResponseBytes = 1_048_576;
const operations = ['check', 'start', 'renew', 'stop'] as const;

/** The partner's base URL, our bearer token there, the proxy that leads there, if one does, and how many calls of each operation are in flight at most. */
export interface PartnerOptions {
  readonly url: string;
  readonly token: string;
  readonly proxy: HttpProxy | undefined;
  readonly inFlight: InFlight;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** One request to the partner. */
export interface Request {
  readonly operation: Operation;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}

/** Calls the partner's server within bounds. Never throws: no response in time, or one that does not match the contract, is unknown. */
export interface PartnerTransport {
  call<T extends { readonly outcome: string }>(
    request: Request,
    parse: (response: PartnerResponse) => T,
  ): Promise<T | Unknown>;
  onRecovered(operation: Operation, listener: () => void): void;
  close(): Promise<void>;
}

const jsonOf = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
};

/**
 * The connections of one operation, which no other operation can exhaust. HTTP/1.1: over one of HTTP/2 calls share a connection, and who has no
 * answer in time would cut his stream alone and leave it to the next one, whether anybody is at its other end or not.
 */
const poolFor = ({ url, proxy, inFlight }: PartnerOptions, operation: Operation): Pool =>
  new Pool(new URL(url).origin, {
    connections: inFlight[operation],
    ...(proxy ? { connect: tunnelThrough(proxy, tunnelTimeoutMs) } : { connectTimeout: connectTimeoutMs }),
    pipelining: 1,
    allowH2: false,
  });

const sender = ({ url, token }: PartnerOptions, pools: Readonly<Record<Operation, Pool>>) => {
  const base = new URL(url).pathname.replace(/\/$/, '');
  return async ({ operation, method, path, body }: Request): Promise<PartnerResponse> => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...injectTrace(),
    };
    const text = body === undefined ? null : JSON.stringify(body);
    const request = { method, path: base + path, headers, body: text };
    const { timeoutMs } = bounds[operation];
    const answer = await exchange(pools[operation], request, { timeoutMs, maxBytes: maxResponseBytes });
    return { status: answer.status, json: jsonOf(answer.body) };
  };
};

/** Logs the first failure of an operation, and the next one only after it has worked again. */
const createFailureLog = (log: Log) => {
  const failing = new Set<Operation>();
  return (operation: Operation, reason: string | undefined): void => {
    if (reason === undefined) return void failing.delete(operation);
    if (!failing.has(operation)) log.warn({ operation, reason }, 'the partner gave no answer to believe');
    failing.add(operation);
  };
};

const isUnknown = (result: unknown): result is Unknown =>
  (result as { outcome?: string }).outcome === 'unknown';
/** A call that the partner refuses tells nothing about its health: the circuit stays closed (D-27). */
const isFailure = (result: unknown): boolean => isUnknown(result) && result.isOutage;
const notCalled = unknown('not called: the circuit is open, or too many calls wait');

const each = <T>(make: (operation: Operation) => T) =>
  Object.fromEntries(operations.map((operation) => [operation, make(operation)])) as Record<Operation, T>;

/** Calls of the partner: measured, traced, each with a deadline, within its operation's bulkhead and circuit (D-27). */
export const partnerTransport = (options: PartnerOptions): PartnerTransport => {
  const { metrics, log, inFlight } = options;
  const pools = each((operation) => poolFor(options, operation));
  const circuits = each((operation) =>
    createPartnerCircuit(operation, { inFlight: inFlight[operation], isFailure, log, metrics }),
  );
  const logFailure = createFailureLog(log);
  const send = sender(options, pools);
  const durations = metrics.histogram('gsb_partner_request_duration_seconds');
  const failed = metrics.counter('gsb_partner_failed_calls_total');
  const attempt = <T>(request: Request, parse: (response: PartnerResponse) => T): Promise<T | Unknown> =>
    inSpan(`partner ${request.operation}`, { kind: SpanKind.CLIENT }, async () => {
      const { operation } = request;
      const started = performance.now();
      const result = await send(request).then(parse, (error: unknown) => unknown((error as Error).message));
      const labels = { operation, outcome: isUnknown(result) ? 'failed' : 'answered' };
      durations.observe(labels, (performance.now() - started) / 1000);
      if (labels.outcome === 'failed') failed.inc({ operation });
      logFailure(operation, isUnknown(result) ? result.reason : undefined);
      return result;
    });
  return {
    call: <T>(request: Request, parse: (response: PartnerResponse) => T) =>
      circuits[request.operation].run<T | Unknown>(() => attempt(request, parse), notCalled),
    onRecovered: (operation, listener) => circuits[operation].onRecovered(listener),
    close: async () => {
      await Promise.all(Object.values(pools).map((pool) => pool.close()));
    },
  };
};

import { SpanKind } from '@opentelemetry/api';
import { Pool } from 'undici';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { inSpan, injectTrace } from '#libs/runtime/tracing.ts';
import { bounds, createPartnerCircuit } from './circuit-breakers.ts';
import type { Operation } from './circuit-breakers.ts';
import type { Unknown } from '../ports.ts';
import { unknown } from './parse-partner-response.ts';
import type { PartnerResponse } from './parse-partner-response.ts';

const connectTimeoutMs = 2_000;
const mostAnswerBytes = 1_048_576;
const operations = ['check', 'start', 'renew', 'stop'] as const;

/** Where the partner is, and what it knows us by. */
export interface PartnerOptions {
  readonly url: string;
  readonly token: string;
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

/** The partner's server, asked within bounds. Never throws: what is not answered in time, or not as it should be, is unknown. */
export interface PartnerTransport {
  call<T extends { readonly outcome: string }>(
    request: Request,
    read: (said: PartnerResponse) => T,
  ): Promise<T | Unknown>;
  onRecovered(operation: Operation, listener: () => void): void;
  close(): Promise<void>;
}

const readBody = async (body: AsyncIterable<Buffer>): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > mostAnswerBytes) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** Connections for one operation, so that another's cannot take them. */
const poolFor = (url: string, operation: Operation): Pool =>
  new Pool(new URL(url).origin, {
    connections: bounds[operation].atOnce,
    connectTimeout: connectTimeoutMs,
    pipelining: 1,
  });

const sender =
  ({ url, token }: PartnerOptions, pools: Readonly<Record<Operation, Pool>>) =>
  async ({ operation, method, path, body }: Request): Promise<PartnerResponse> => {
    const answer = await pools[operation].request({
      method,
      path: new URL(url).pathname.replace(/\/$/, '') + path,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...injectTrace() },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(bounds[operation].timeoutMs),
    });
    return { status: answer.statusCode, json: await readBody(answer.body) };
  };

/** That an operation fails is said once, and then not before it has worked again. */
const createComplaints = (log: Log) => {
  const failing = new Set<Operation>();
  return (operation: Operation, reason: string | undefined): void => {
    if (reason === undefined) return void failing.delete(operation);
    if (!failing.has(operation)) log.warn({ operation, reason }, 'the partner gave no answer to believe');
    failing.add(operation);
  };
};

const isUnknown = (said: unknown): said is Unknown => (said as { outcome?: string }).outcome === 'unknown';
const notAsked = unknown('not asked: the partner is left alone, or too many wait');

const each = <T>(make: (operation: Operation) => T) =>
  Object.fromEntries(operations.map((operation) => [operation, make(operation)])) as Record<Operation, T>;

/** Requests to the partner: measured, traced, each with a deadline, within its operation's bulkhead and circuit (D-27). */
export const partnerTransport = (options: PartnerOptions): PartnerTransport => {
  const { url, metrics, log } = options;
  const pools = each((operation) => poolFor(url, operation));
  const guards = each((operation) => createPartnerCircuit(operation, { isTrouble: isUnknown, log, metrics }));
  const complain = createComplaints(log);
  const send = sender(options, pools);
  const durations = metrics.histogram('gsb_partner_request_duration_seconds');
  const attempt = <T>(request: Request, read: (said: PartnerResponse) => T): Promise<T | Unknown> =>
    inSpan(`partner ${request.operation}`, { kind: SpanKind.CLIENT }, async () => {
      const { operation } = request;
      const stop = durations.startTimer({ operation });
      const heard = await send(request).then(read, (error: unknown) => unknown((error as Error).message));
      stop({ outcome: isUnknown(heard) ? 'failed' : 'answered' });
      complain(operation, isUnknown(heard) ? heard.reason : undefined);
      return heard;
    });
  return {
    call: <T>(request: Request, read: (said: PartnerResponse) => T) =>
      guards[request.operation].run<T | Unknown>(() => attempt(request, read), notAsked),
    onRecovered: (operation, listener) => guards[operation].onRecovered(listener),
    close: async () => {
      await Promise.all(Object.values(pools).map((pool) => pool.close()));
    },
  };
};

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import Router from '@koa/router';
import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import Koa from 'koa';
import type { Context, Next } from 'koa';
import { Refusal, asRefusal } from '#libs/contracts/errors.ts';
import { withRequestId } from '#libs/runtime/request-context.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { NoteSecurity } from '#libs/runtime/security-events.ts';
import type { Component } from '#libs/runtime/service.ts';
import { callersLink, inSpan } from '#libs/runtime/tracing.ts';
import { documentResponse, errorResponse, successResponse } from './responses.ts';
import { readBody } from './body.ts';
import { namesHost } from './names-host.ts';
import { announcedBytes, createBodyBudget, isLong } from './body-budget.ts';
import { onClientError, onConnect } from './client-error.ts';
import { completeSpan } from './request-span.ts';
import { countResponses } from './count-responses.ts';
import type { CountResponses } from './count-responses.ts';
import { createConnectionDraining } from './connection-draining.ts';
import { incomingRequest } from './incoming-request.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { knowsPath, unmatched } from './request-path.ts';
import { noteUnavailable } from './note-unavailable.ts';
import { createPipelineLimit } from './pipeline-limit.ts';
import type { Authenticate, Route, Streamed } from './route.ts';
import { createShedding } from './shedding.ts';
import { createStreams, sendStream } from './streams.ts';
import { send, written } from './written-response.ts';
import type { Written } from './written-response.ts';
import { turnsWhile } from '#libs/runtime/turns.ts';
import type { Turns } from '#libs/runtime/turns.ts';

const requestTimeoutMs = 10_000;
/** A connection on which nothing moves for so long, while a request is in hand, is cut: what waits to be sent stays in hand until then. */
const silenceMs = 120_000;
const maxHeaderBytes = 8_192;
/** How many connections may wait to be taken: as many as the kernel lets. Node says 511, and after an outage more come at once. */
const backlog = 65_535;
/** Of so many times the connections that may be, each is answered; more are closed. */
const answeredFactor = 2;

/** Where the server listens, and what it serves. */
export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** How long an idle connection is kept, in ms: longer than the load balancer keeps it, or that sends into a closed connection. */
  readonly keepAliveMs: number;
  /** How many connections there may be at once; what comes over one more is refused, and the connection closed. */
  readonly maxConnections: number;
  readonly routes: readonly Route[];
  /** The OpenAPI document, served at GET /openapi.json. */
  readonly document: unknown;
  /** How long a response that closes its connection waits for the rest of its request, in ms; tests pass their own. */
  readonly restWithinMs?: number;
  readonly authenticate: Authenticate;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Notes connections that fail (D-47). */
  readonly security: NoteSecurity;
}

/** `req_` and 32 hexadecimal digits (spec 2.3). */
const newRequestId = () => `req_${randomUUID().replaceAll('-', '')}`;

/** The response that is to be sent; undefined where Koa sends one. */
const responseOf = (ctx: Context): Written | undefined => ctx.state['response'] as Written | undefined;

/**
 * Wraps every request: request id, trace, error response, duration. Use cases know nothing of these. The response is sent outside the trace: the
 * timer that waits for the connection's next request keeps the context that it is set in.
 */
const requestMiddleware = ({ log, restWithinMs }: HttpOptions, responses: CountResponses) => {
  const noteCause = noteUnavailable(log);
  return async (ctx: Context, next: Next): Promise<void> => {
    const requestId = newRequestId();
    ctx.state['requestId'] = requestId;
    const started = performance.now();
    const parent = withRequestId(requestId, ROOT_CONTEXT);
    const links = callersLink(ctx.req.headers);
    await inSpan(ctx.method, { kind: SpanKind.SERVER, parent, links }, async (span) => {
      try {
        if (!namesHost(ctx.req)) throw new Refusal('BAD_REQUEST', { message: 'There must be one Host.' });
        await next();
      } catch (error) {
        if (!(error instanceof Refusal)) log.error({ error }, 'a request failed');
        noteCause(String(ctx.state['route'] ?? 'unmatched'), error);
        responses.refused(asRefusal(error).code);
        ctx.state['response'] = written(errorResponse(requestId, error));
      }
      const route = String(ctx.state['route'] ?? 'unmatched');
      const { method } = ctx;
      const { status } = responseOf(ctx) ?? ctx;
      const responded = { route, method, status, seconds: (performance.now() - started) / 1000 };
      responses.responded(responded);
      completeSpan(span, { ...responded, requestId, scheme: ctx.protocol, links });
    });
    const response = responseOf(ctx);
    if (response === undefined) return void ctx.req.resume();
    ctx.respond = false;
    // Koa keeps the context until the response is over, which for a slow reader takes long.
    ctx.state['response'] = undefined;
    send(ctx.res, response, restWithinMs);
  };
};

/** What a route asks before it reads a body and begins. */
interface Gate extends Pick<ServerParts['shedding'], 'isInHand' | 'noRoomFor'> {
  readonly authenticate: Authenticate;
  readonly turns: Turns;
  readonly budget: ReturnType<typeof createBodyBudget>;
  readonly streaming: ReturnType<typeof createStreams>;
}

const routeHandler =
  ({ contract, handle, streams, gathers }: Route, gate: Gate) =>
  async (ctx: Context & { params?: unknown }): Promise<void> => {
    const { authenticate, turns, budget, streaming } = gate;
    const requestId = String(ctx.state['requestId']);
    ctx.state['route'] = contract.path;
    const authenticated = async (incoming: IncomingRequest) =>
      authenticate[contract.auth]?.(incoming, contract.path);
    const bytes = announcedBytes(ctx.req, contract);
    const long = isLong(bytes, contract);
    // A key needs no body: who has none has no batch in hand, and takes nothing of the budget. Whatever else a caller has may need it.
    const isKnownFirst = contract.maxBodyBytes !== undefined && contract.auth === 'api-key';
    const known = isKnownFirst && (await authenticated(incomingRequest(ctx, requestId, Buffer.alloc(0))));
    if (long && !budget.takes(bytes, ctx.res)) throw gate.noRoomFor(contract.path);
    const incoming = incomingRequest(ctx, requestId, await readBody(ctx.req, contract.maxBodyBytes));
    if (!gate.isInHand(ctx.req)) throw gate.noRoomFor(contract.path);
    await turns[gathers?.() ?? 'usual']();
    const caller = isKnownFirst ? known : await authenticated(incoming);
    const begin = () => handle(caller, incoming, { params: ctx.params, query: { ...ctx.query } });
    if (streams !== true) {
      ctx.state['response'] = written(successResponse(requestId, await begin()));
      return;
    }
    const streamed = await streaming.open(ctx.res, begin as () => Promise<Streamed>);
    if (streamed === undefined) throw gate.noRoomFor(contract.path);
    sendStream(ctx, requestId, streamed);
  };

const koaOf = (options: HttpOptions, { shedding, responses }: Omit<ServerParts, 'draining'>): Koa => {
  const { routes, authenticate } = options;
  const document = written(documentResponse(options.document));
  const app = new Koa();
  const router = new Router({ strict: true, sensitive: true });
  router.get('/openapi.json', (ctx) => {
    ctx.state['route'] = '/openapi.json';
    ctx.state['response'] = document;
  });
  const { isBusy, isInHand, noRoomFor } = shedding;
  const bounds = { budget: createBodyBudget(), streaming: createStreams() };
  const gate = { authenticate, turns: turnsWhile(isBusy), ...bounds, isInHand, noRoomFor };
  for (const each of routes)
    router.register(each.contract.path, [each.contract.method], routeHandler(each, gate));
  app
    .use(requestMiddleware(options, responses))
    .use(knowsPath)
    .use(router.routes() as Koa.Middleware)
    .use(unmatched(routes.map(({ contract }) => contract)));
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === undefined) options.log.warn({ error }, 'a response failed');
    else options.security('connection.failed', { reason: error.code });
  });
  return app;
};

interface ServerParts {
  readonly draining: ReturnType<typeof createConnectionDraining>;
  readonly shedding: ReturnType<typeof createShedding>;
  readonly responses: CountResponses;
}

const serverOf = (options: HttpOptions, { draining, ...parts }: ServerParts): Server => {
  const { shedding } = parts;
  const handle = koaOf(options, parts).callback();
  const limits = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
    // Node's own 400 has no envelope.
    requireHostHeader: false,
  };
  const pipelines = createPipelineLimit(options.security);
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    if (!pipelines.takes(request, response)) return;
    const isHeard = draining.track(response);
    if (shedding.takes(request, response, isHeard)) void handle(request, response);
  };
  const server = createServer({ ...limits, connectionsCheckingInterval: 1_000 }, take);
  // What a caller expects that we do not know is no reason to refuse it, as node's own 417 would.
  server.on('checkExpectation', take);
  server.timeout = silenceMs;
  server.keepAliveTimeout = options.keepAliveMs;
  server.maxConnections = answeredFactor * options.maxConnections;
  server.on('connection', shedding.connected);
  server.on('connection', draining.connected);
  const failed = onClientError(newRequestId, options.security, draining.inFlightOf);
  server.on('clientError', failed);
  server.on('connect', onConnect(failed, draining.inFlightOf));
  return server;
};

/** An HTTP server as a component. On stop it accepts no new connection, and the last response of each closes it. */
export const httpServer = (options: HttpOptions): Component => {
  const draining = createConnectionDraining();
  const endpoints = options.routes.map(({ contract }) => contract);
  const responses = countResponses(options.metrics, endpoints);
  const shedding = createShedding({ ...options, endpoints, responses, newRequestId });
  const server = serverOf(options, { draining, shedding, responses });
  return {
    name: 'http',
    start: async () => {
      server.listen({ port: options.port, host: options.host, backlog });
      await once(server, 'listening');
      shedding.start();
      options.log.info({ what: 'http', port: (server.address() as AddressInfo).port }, 'listening');
    },
    stop: async () => {
      await draining.close(server, requestTimeoutMs);
      shedding.stop();
    },
  };
};

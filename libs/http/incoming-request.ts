import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from 'koa';

/** A request before authentication: nothing in it can be trusted yet. */
export interface IncomingRequest {
  readonly requestId: string;
  readonly method: string;
  /** The Host header, lower case. */
  readonly authority: string;
  /** The path as sent, without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as sent, repeated headers included. */
  readonly rawHeaders: readonly string[];
  readonly rawBody: Buffer;
  /** The address at the other end of the socket. */
  readonly peer: string;
  /** Whether the caller has closed the connection, or heard that he was too slow: nobody will hear the answer. */
  readonly hasGone: () => boolean;
}

/** The request of a context of Koa, with its body. */
export const incomingRequest = (ctx: Context, requestId: string, rawBody: Buffer): IncomingRequest => ({
  requestId,
  method: ctx.method,
  authority: (ctx.req.headers.host ?? '').toLowerCase(),
  path: ctx.path,
  headers: ctx.req.headers,
  rawHeaders: ctx.req.rawHeaders,
  rawBody,
  peer: ctx.req.socket.remoteAddress ?? '',
  hasGone: () => ctx.req.socket.readableEnded || !ctx.req.socket.writable,
});

/** The text of a header; empty where it is not there, or is there more than once. */
export const headerOf = ({ headers }: Pick<IncomingRequest, 'headers'>, name: string): string => {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
};

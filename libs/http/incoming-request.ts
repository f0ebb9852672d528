import type { IncomingHttpHeaders } from 'node:http';

/** What the driver knows of a request before anybody is believed. */
export interface IncomingRequest {
  readonly requestId: string;
  readonly method: string;
  /** The Host header, lower case. */
  readonly authority: string;
  /** The path as sent, without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values as sent, repeats included. */
  readonly rawHeaders: readonly string[];
  readonly rawBody: Buffer;
  /** The address at the other end of the socket. */
  readonly peer: string;
}

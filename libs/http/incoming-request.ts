import type { IncomingHttpHeaders } from 'node:http';

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
  /** Whether the caller has closed the connection: nobody will hear the answer. */
  readonly hasGone: () => boolean;
}

/** The text of a header; empty where it is not there, or is there more than once. */
export const headerOf = ({ headers }: Pick<IncomingRequest, 'headers'>, name: string): string => {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
};

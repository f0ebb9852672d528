import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import type { ServerResponse } from 'node:http';
import { Refusal } from '#libs/contracts/errors.ts';
import type { NoteSecurity } from '#libs/runtime/security-events.ts';
import { errorResponse } from './responses.ts';

/** So long a caller may read why he is refused. */
const lingerMs = 1_000;
/** So long one may stay who reads nothing: each byte that he sends begins the server's own wait for silence anew. */
const mostMs = 120_000;

const refusalOf = (code: string | undefined): Refusal => {
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal('HEADERS_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Refusal('REQUEST_TIMEOUT');
  return new Refusal('BAD_REQUEST', { message: 'The request is not HTTP as we read it.' });
};

/** Ends a connection that nobody times any more; destroyed at once it might take its last answer with it. */
const end = (socket: Socket, text = ''): void => {
  socket.end(text);
  setTimeout(() => socket.destroy(), lingerMs).unref();
};

const answer = (socket: Socket, requestId: string, code: string | undefined): void => {
  const { status, headers, body } = errorResponse(requestId, refusalOf(code));
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  end(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${text}`);
};

const isHopeless = (code: string | undefined, socket: Socket): boolean =>
  code === 'ECONNRESET' || (code === 'ERR_HTTP_REQUEST_TIMEOUT' && !socket.writable);

/** Closes a connection when a response that is under way on it is over. */
const closeAfter = (response: ServerResponse, socket: Socket): void => {
  response.shouldKeepAlive = false;
  response.once('close', () => socket.destroySoon());
};

/**
 * Answers input that Node cannot parse (headers too large, too slow, not HTTP) with the error body of D-01, and closes the connection. What comes
 * behind a request that is in hand hears nothing: its caller would take that for the answer of the other one. Nor does the rest of a request
 * that was answered before it came.
 */
export const createClientErrors = (newRequestId: () => string, note: NoteSecurity) => {
  /** The response to the last request of each connection, until it is over and its request has come whole; and what was under way before it. */
  const lastOf = new WeakMap<Socket, ServerResponse>();
  const before = new WeakMap<ServerResponse, ServerResponse>();
  const failed = new WeakSet<Socket>();
  const settle = (socket: Socket, code: string | undefined): void => {
    const last = lastOf.get(socket);
    const isWhole = last === undefined || last.req.complete;
    const inHand = isWhole ? last : before.get(last);
    if (inHand && !inHand.destroyed) closeAfter(inHand, socket);
    else if (!isWhole && last.writableEnded) end(socket);
    else answer(socket, newRequestId(), code);
  };
  return {
    /** To be called with each response before its request is looked at. */
    track: (response: ServerResponse): void => {
      const { socket } = response.req;
      const last = lastOf.get(socket);
      lastOf.set(socket, response);
      // An idle connection keeps no request; nor does one whose caller always sends the next before he is answered keep all that he sent.
      response.once('close', () => {
        if (response.req.complete && lastOf.get(socket) === response) lastOf.delete(socket);
      });
      if (last === undefined || last.destroyed) return;
      before.set(response, last);
      last.once('close', () => before.delete(response));
    },
    onError: ({ code }: Error & { code?: string }, socket: Socket): void => {
      // Whatever else comes over a connection that cannot be parsed fails again.
      if (failed.has(socket)) return;
      failed.add(socket);
      const timer = setTimeout(() => socket.destroy(), mostMs).unref();
      socket.once('close', () => clearTimeout(timer));
      note('connection.failed', { reason: code });
      if (isHopeless(code, socket)) socket.destroy();
      // What is closing already is left to it: destroyed now it might take the last answer with it.
      else if (socket.writable) settle(socket, code);
    },
  };
};

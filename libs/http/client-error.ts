import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '#libs/contracts/errors.ts';
import type { NoteSecurity } from '#libs/runtime/security-events.ts';
import type { InFlightOf } from './connection-draining.ts';
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

const answer = (socket: Socket, requestId: string, code: string | undefined): void => {
  const { status, headers, body } = errorResponse(requestId, refusalOf(code));
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${text}`);
  // Nobody times this connection any more; destroyed at once it might take the answer with it.
  setTimeout(() => socket.destroy(), lingerMs).unref();
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
 * behind a request that is in hand hears nothing: its caller would take that for the answer of the other one.
 */
export const onClientError = (newRequestId: () => string, note: NoteSecurity, inFlightOf: InFlightOf) => {
  const failed = new WeakSet<Socket>();
  const settle = (socket: Socket, code: string | undefined): void => {
    const inHand = inFlightOf(socket).findLast(({ req }) => req.complete);
    if (inHand) closeAfter(inHand, socket);
    else answer(socket, newRequestId(), code);
  };
  return ({ code }: Error & { code?: string }, socket: Socket): void => {
    // Whatever else comes over a connection that cannot be parsed fails again.
    if (failed.has(socket)) return;
    failed.add(socket);
    const timer = setTimeout(() => socket.destroy(), mostMs).unref();
    socket.once('close', () => clearTimeout(timer));
    note('connection.failed', { reason: code });
    if (isHopeless(code, socket)) socket.destroy();
    // What is closing already is left to it: destroyed now it might take the last answer with it.
    else if (socket.writable) settle(socket, code);
  };
};

/**
 * Answers CONNECT like what is no HTTP. Node lets go of such a connection altogether, and would cut it: the responses that are in flight on it
 * would hear neither that there is room for more of them nor that it is lost.
 */
export const onConnect =
  (failed: ReturnType<typeof onClientError>, inFlightOf: InFlightOf) =>
  ({ socket }: IncomingMessage): void => {
    socket.on('error', () => undefined);
    socket.on('drain', () => inFlightOf(socket)[0]?.emit('drain'));
    socket.once('close', () => {
      for (const response of inFlightOf(socket)) response.destroy();
    });
    socket.resume();
    failed(Object.assign(new Error('CONNECT'), { code: 'CONNECT' }), socket);
  };

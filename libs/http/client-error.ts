import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import { Refusal } from '#libs/contracts/errors.ts';
import type { NoteSecurity } from '#libs/runtime/security-events.ts';
import { errorResponse } from './responses.ts';

/** So long a caller may read why he is refused. */
const lingerMs = 1_000;

const refusalOf = (code: string | undefined): Refusal => {
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal('HEADERS_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Refusal('REQUEST_TIMEOUT');
  return new Refusal('BAD_REQUEST', { message: 'The request is not HTTP as we read it.' });
};

/** Answers input that Node cannot parse (headers too large, too slow, not HTTP) with the error body of D-01, and closes the connection. */
export const onClientError =
  (newRequestId: () => string, note: NoteSecurity) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    note('connection.failed', { reason: error.code });
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const { status, headers, body } = errorResponse(newRequestId(), refusalOf(error.code));
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

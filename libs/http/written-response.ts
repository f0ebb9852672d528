import type { ServerResponse } from 'node:http';
import { afterNextPoll } from '#libs/runtime/after-next-poll.ts';
import type { Response } from './responses.ts';

/** A response as text, with all its headers. */
export interface Written extends Omit<Response, 'body'> {
  readonly text: string;
  readonly encoding: 'latin1' | 'utf8';
}

/**
 * Writes a response. What is ASCII, as nearly everything is, goes out as Latin-1: the same bytes, and Node takes 10 µs less to send a short text so
 * than as UTF-8.
 */
export const written = ({ status, headers, body }: Response): Written => {
  const text = JSON.stringify(body);
  const bytes = Buffer.byteLength(text);
  const encoding = bytes === text.length ? 'latin1' : 'utf8';
  return { status, headers: { ...headers, 'Content-Length': String(bytes) }, text, encoding };
};

/** For so long, in ms, a response waits for the rest of its request where nothing else is said. */
const usualRestMs = 900;

const waiting = new WeakSet<ServerResponse>();
/** Whether a response is written, or waits to be: what comes of its request is read, and nothing more is done for it. */
export const isSent = (response: ServerResponse): boolean => response.headersSent || waiting.has(response);

/** What a response emits when it is written: it may wait for its turn on its connection, and for its reader, before it is closed. */
export const answered = Symbol('answered');

const sendNow = (to: ServerResponse, { status, headers, text, encoding }: Written): void => {
  to.writeHead(status, headers);
  to.end(text, encoding);
  to.emit(answered);
};

/**
 * Sends a response: at once where the connection is kept. Another one Node closes as soon as the response is written; what of the request comes
 * after that has the kernel reset it, and takes the response away. So the rest of the request is read before, for a while. What nobody reads of
 * a body Node would keep, each piece as an object, until those who came before are answered.
 */
export const send = (to: ServerResponse, response: Written, restWithinMs = usualRestMs): void => {
  if (!to.req.readableEnded) to.req.resume();
  if (to.shouldKeepAlive || to.req.complete || to.destroyed) return sendNow(to, response);
  const sendOnce = () => {
    clearTimeout(timer);
    if (!to.headersSent) sendNow(to, response);
  };
  waiting.add(to);
  const timer = setTimeout(() => void afterNextPoll().then(sendOnce), restWithinMs).unref();
  to.once('close', () => clearTimeout(timer));
  to.req.once('end', sendOnce);
};

import type { Dispatcher } from 'undici';

/** The whole answer to one request over HTTP. */
export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

interface ExchangeBounds {
  /** For all of it: a connection, the request, and the last byte of the answer. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/**
 * One request and its whole answer. What undici offers above `dispatch` makes a stream of each body and a listener of each deadline, which
 * takes as much again as the exchange itself. Rejects with what prevented it; the connection is cut then.
 */
export const exchange = (
  connections: Pick<Dispatcher, 'dispatch'>,
  request: Dispatcher.DispatchOptions,
  { timeoutMs, maxBytes }: ExchangeBounds,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let [status, size] = [0, 0];
    let [cut, failure]: [((reason: Error) => void)?, Error?] = [];
    const fail = (error: Error): void => {
      clearTimeout(timer);
      failure ??= error;
      reject(failure);
      cut?.(failure);
    };
    const timer = setTimeout(() => fail(new Error('no answer in time')), timeoutMs);
    connections.dispatch(request, {
      onRequestStart: (exchanged) => {
        cut = (reason) => exchanged.abort(reason);
        if (failure) cut(failure);
      },
      onResponseStart: (_exchanged, statusCode) => void (status = statusCode),
      onResponseData: (_exchanged, chunk) => {
        size += chunk.length;
        if (size > maxBytes) fail(new Error('the answer is too large'));
        else chunks.push(chunk);
      },
      onResponseEnd: () => {
        clearTimeout(timer);
        resolve({ status, body: Buffer.concat(chunks) });
      },
      onResponseError: (_exchanged, error) => fail(error),
    });
  });

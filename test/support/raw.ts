import { request } from 'node:http';
import { connect } from 'node:net';

const timeoutMs = 12_000;

/** What came back, unparsed but for JSON. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: unknown;
  readonly text: string;
}

/** A request exactly as given, for callers that do not keep to the contract. */
export interface RawRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** Sends it and gives whatever comes back. */
export const send = ({ method, url, headers = {}, body }: RawRequest): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const outgoing = request(
      url,
      { method, headers: { ...length, ...headers }, timeout: timeoutMs },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parsed(text), text });
        });
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', reject);
    outgoing.end(body);
  });

/** Sends texts over a bare socket, and gives all that comes back until the server hangs up. */
export const talk = (url: string, ...texts: string[]): Promise<string> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  return new Promise((resolve, reject) => {
    let received = '';
    socket.on('data', (data) => (received += data.toString()));
    socket.on('close', () => resolve(received)).on('error', reject);
    for (const text of texts) socket.write(text);
  });
};

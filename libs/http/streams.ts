import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { onEveryResponse } from './responses.ts';
import type { Streamed } from './route.ts';

/** How many streams a process sends at once, and for how long, in ms, a chunk may wait for its reader (D-46). */
const [usualMost, usualWaitMs] = [8, 60_000];

/** Koa, Node and we listen for the end of a streamed response; Node takes ten for a leak. */
const mostListeners = 20;

const tooSlow = () => Object.assign(new Error('its reader takes too long'), { code: 'SLOW_READER' });

interface Stream {
  readonly headers: Streamed['headers'];
  readonly body: Readable;
}

/** The chunks as a body that is destroyed when one of them waits for longer. */
const paced = (chunks: AsyncIterable<string>, waitMs: number): Readable => {
  const noting = async function* () {
    for await (const chunk of chunks) {
      timer.refresh();
      yield chunk;
    }
  };
  const body = Readable.from(noting(), { highWaterMark: 1 });
  const timer = setTimeout(() => body.destroy(tooSlow()), waitMs).unref();
  return body.once('close', () => clearTimeout(timer));
};

/**
 * Bounds bodies that are sent chunk by chunk: each keeps a few chunks in memory for as long as its reader likes. A reader who is too slow is cut, and
 * sees that what he has is not whole.
 */
export const createStreams = (most = usualMost, waitMs = usualWaitMs) => {
  let open = 0;
  return {
    /** Begins one more, which takes its place until its body is closed; undefined where there is no room. Rejects as `begin` does. */
    open: async (response: ServerResponse, begin: () => Promise<Streamed>): Promise<Stream | undefined> => {
      if (open >= most) return undefined;
      open += 1;
      const close = () => (open -= 1);
      const { headers, chunks } = await begin().catch((error: unknown) => {
        close();
        throw error;
      });
      // One that fails while others of its connection are answered before it is begun all the same when they are, and never ended.
      const cutInItsTurn = () => response.once('socket', (socket: Socket) => socket.destroy());
      const body = paced(chunks, waitMs).once('error', cutInItsTurn).once('close', close);
      // Koa reads no body, and destroys none, whose response has gone before its turn, or is to have none.
      response.setMaxListeners(mostListeners).once('close', () => body.destroy());
      if (response.destroyed) body.destroy();
      return { headers, body };
    },
  };
};

/** Has Koa send a stream: it knows when its reader has room for more. */
export const sendStream = (ctx: Context, requestId: string, { headers, body }: Stream): void => {
  ctx.status = 200;
  ctx.body = body;
  ctx.set({ ...onEveryResponse, ...headers, 'X-Request-Id': requestId });
};

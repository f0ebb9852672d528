import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { NoteSecurity } from '#libs/runtime/security-events.ts';

/** How many requests may wait behind another one of their connection, and how many of all connections. */
const [mostOfOne, mostOfAll] = [64, 2_048];

/**
 * Bounds the requests that wait for their turn on their connection, answered or not (D-46). Of what it has read Node takes all at once, two thousand
 * small requests in 64 KiB, and keeps each with its response until those before it are sent. Callers who wait for each answer, as HTTP clients do,
 * never meet it.
 */
export const createPipelineLimit = (note: NoteSecurity) => {
  const behind = new WeakMap<Socket, number>();
  let ofAll = 0;
  const ofOne = (socket: Socket): number => behind.get(socket) ?? 0;
  const count = (socket: Socket, more: 1 | -1): void => {
    ofAll += more;
    behind.set(socket, ofOne(socket) + more);
  };
  return {
    /** Whether the request is to be served. Where there is no room for it, its connection is cut, and the rest of what was read with it is nobody's. */
    takes: ({ socket }: IncomingMessage, response: ServerResponse): boolean => {
      if (socket.destroyed) return false;
      const isItsTurn = response.socket !== null;
      if (isItsTurn) return true;
      if (ofOne(socket) >= mostOfOne || ofAll >= mostOfAll) {
        note('connection.failed', { reason: 'PIPELINED' });
        socket.destroy();
        return false;
      }
      count(socket, 1);
      response.once('close', () => count(socket, -1));
      return true;
    },
  };
};

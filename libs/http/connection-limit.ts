import type { Socket } from 'node:net';
import { afterNextPoll } from '#libs/runtime/after-next-poll.ts';

/** How long a connection that is one too many has to send the head of its request, in ms. */
const asksWithinMs = 1_000;

/**
 * Bounds the connections of a server: what comes over one that is too many is answered, but only to say so. `most`: how many there may be at once.
 */
export const createConnectionLimit = (most: number) => {
  const [tooMany, asked] = [new WeakSet<Socket>(), new WeakSet<Socket>()];
  let open = 0;
  return {
    /** To be called with each connection as it comes. */
    connected: (socket: Socket): void => {
      open += 1;
      socket.once('close', () => (open -= 1));
      if (open <= most) return;
      tooMany.add(socket);
      const cut = () => void afterNextPoll().then(() => asked.has(socket) || socket.destroy());
      const timer = setTimeout(cut, asksWithinMs).unref();
      socket.once('close', () => clearTimeout(timer));
    },
    /** Whether there were as many as may be when the connection came over which a request has come now: its answer closes it. */
    isTooMany: (socket: Socket): boolean => {
      if (!tooMany.has(socket)) return false;
      asked.add(socket);
      return true;
    },
  };
};

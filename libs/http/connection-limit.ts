import type { Socket } from 'node:net';
import { afterNextPoll } from '#libs/runtime/after-next-poll.ts';

/** How long a connection that is one too many has to send its request, in ms. */
const sendsWithinMs = 1_000;

/**
 * Bounds the connections of a server without resetting any: what comes over one that is too many is answered, but only to say so. `most`: how
 * many there may be at once.
 */
export const createConnectionLimit = (most: number) => {
  const tooMany = new WeakSet<Socket>();
  let open = 0;
  return {
    /** To be called with each connection as it comes. */
    connected: (socket: Socket): void => {
      open += 1;
      socket.once('close', () => (open -= 1));
      if (open <= most) return;
      tooMany.add(socket);
      const destroy = () => void afterNextPoll().then(() => socket.destroy());
      const timer = setTimeout(destroy, sendsWithinMs).unref();
      socket.once('close', () => clearTimeout(timer));
    },
    /** Whether there were as many as may be when this one came. */
    isTooMany: (socket: Socket): boolean => tooMany.has(socket),
  };
};

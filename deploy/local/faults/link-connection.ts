import { connect } from 'node:net';
import type { Socket } from 'node:net';

/**
 * What a link does. `delay` holds every byte back, in both directions. `cut` resets what is connected and whoever connects. `blackhole`
 * accepts and swallows everything, as a host that died without a word: nobody sees an end.
 */
export type LinkFault =
  { readonly mode: 'pass' | 'cut' | 'blackhole' } | { readonly mode: 'delay'; readonly ms: number };

/** One connection through a link. */
export interface LinkConnection {
  /** The port that the client connected from. */
  readonly clientPort: number;
  /** Called when the fault that applies to it has changed. */
  changed(): void;
  /** The server sees that the connection is gone; the client receives nothing, now or later. */
  halfOpen(): void;
  reset(): void;
}

interface ConnectionOptions {
  readonly client: Socket;
  readonly serverPort: number;
  readonly fault: () => LinkFault;
  readonly closed: () => void;
}

/** Resets a connection. One whose end is still being sent cannot be reset (libuv refuses, and Node then leaks the socket): it is closed. */
export const resetSocket = (socket: Socket): void => {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
};

/** Writes in order, each piece when its delay is over; a slow reader stops the writer. */
const createDirection = (from: Socket, to: Socket, fault: () => LinkFault) => {
  let freeAt = 0;
  const atItsTime = (work: () => void): void => {
    const now = performance.now();
    const current = fault();
    const at = Math.max(freeAt, now + (current.mode === 'delay' ? current.ms : 0));
    freeAt = at > now ? at : 0;
    if (at > now) setTimeout(work, at - now);
    else work();
  };
  const write = (piece: Buffer) => {
    if (to.destroyed || to.writableEnded || to.write(piece)) return;
    from.pause();
    to.once('drain', () => from.resume());
  };
  return {
    pass: (piece: Buffer) => atItsTime(() => write(piece)),
    end: () => atItsTime(() => void to.end()),
    reset: () => atItsTime(() => resetSocket(to)),
  };
};

/** Passes what one side sends and how it ends, for as long as nothing is swallowed. */
const relay = (from: Socket, to: Socket, { fault, swallows }: Relaying): void => {
  const direction = createDirection(from, to, fault);
  from.on('data', (piece: Buffer) => swallows() || direction.pass(piece));
  from.on('end', () => swallows() || direction.end());
  from.on('error', () => swallows() || direction.reset());
};

interface Relaying {
  readonly fault: () => LinkFault;
  readonly swallows: () => boolean;
}

/** Joins a client to a server. */
export const joinConnection = ({ client, serverPort, fault, closed }: ConnectionOptions): LinkConnection => {
  let silent = false;
  let swallowed = false;
  const swallows = () => {
    swallowed ||= fault().mode === 'blackhole';
    return swallowed || silent;
  };
  const server = connect({ port: serverPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  const reset = () => {
    resetSocket(client);
    resetSocket(server);
  };
  relay(client, server, { fault, swallows });
  relay(server, client, { fault, swallows });
  client.setNoDelay(true);
  const left = () => client.destroyed && server.destroyed && closed();
  client.on('close', () => {
    if (!swallows()) server.destroy();
    left();
  });
  server.on('close', () => {
    if (!swallows()) client.destroySoon();
    left();
  });
  // Whoever connects to a black hole has lost something already.
  swallows();
  return {
    clientPort: client.remotePort ?? 0,
    reset,
    changed: () => {
      const { mode } = fault();
      if (silent) return;
      // Bytes are missing in a connection that was black-holed: it cannot go on.
      if (mode === 'cut' || (swallowed && mode !== 'blackhole')) reset();
      swallows();
    },
    halfOpen: () => {
      silent = true;
      resetSocket(server);
    },
  };
};

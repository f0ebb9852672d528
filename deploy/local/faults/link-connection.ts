import { connect } from 'node:net';
import type { Socket } from 'node:net';

/**
 * What a link does. `delay` holds every byte back, in both directions. `lose` is what those above TCP see of lost packets: of a hundred
 * pieces so many come when they have been sent again after so many ms, and what follows waits for it. `linger` holds every end back, by so many
 * ms. `cut` resets what is connected and whoever connects. `blackhole` accepts and swallows everything, as a host that died without a word:
 * nobody sees an end.
 */
export type LinkFault =
  | { readonly mode: 'pass' | 'cut' | 'blackhole' }
  | { readonly mode: 'delay' | 'linger'; readonly ms: number }
  | { readonly mode: 'lose'; readonly percent: number; readonly ms: number };

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

/** Whether the n-th piece is lost: at regular distances, and of a hundred in a row exactly so many. */
export const isLost = (nth: number, percent: number): boolean =>
  Math.floor((nth * percent) / 100) > Math.floor(((nth - 1) * percent) / 100);

/** For how long a fault holds back the next piece of a direction, or its end, in ms. */
const createHold = (fault: () => LinkFault) => {
  let pieces = 0;
  return (what: 'piece' | 'end'): number => {
    const current = fault();
    switch (current.mode) {
      case 'delay':
        return current.ms;
      case 'linger':
        return what === 'end' ? current.ms : 0;
      case 'lose':
        return isLost((pieces += 1), current.percent) ? current.ms : 0;
      default:
        return 0;
    }
  };
};

/** Writes in order, each piece when it is no longer held back; a slow reader stops the writer. */
const createDirection = (from: Socket, to: Socket, fault: () => LinkFault) => {
  let freeAt = 0;
  const hold = createHold(fault);
  const held = new Set<NodeJS.Timeout>();
  const atItsTime = (what: 'piece' | 'end', work: () => void): void => {
    const now = performance.now();
    const at = Math.max(freeAt, now + hold(what));
    freeAt = at > now ? at : 0;
    if (at <= now) {
      work();
      return;
    }
    const timer = setTimeout(() => {
      held.delete(timer);
      work();
    }, at - now);
    held.add(timer);
  };
  const write = (piece: Buffer) => {
    if (to.destroyed || to.writableEnded || to.write(piece)) return;
    from.pause();
    to.once('drain', () => from.resume());
  };
  return {
    pass: (piece: Buffer) => atItsTime('piece', () => write(piece)),
    end: () => atItsTime('end', () => void to.end()),
    reset: () => atItsTime('end', () => resetSocket(to)),
    /** Nothing more comes, and nothing can be sent back. */
    close: () => atItsTime('end', () => to.destroySoon()),
    /** What is still held back has nobody to go to. */
    drop: () => held.forEach((timer) => clearTimeout(timer)),
  };
};

/** Passes what one side sends and how it ends, for as long as nothing is swallowed; what is returned drops what is held back. */
const relay = (from: Socket, to: Socket, { fault, swallows, left }: Relaying): (() => void) => {
  const direction = createDirection(from, to, fault);
  from.on('data', (piece: Buffer) => swallows() || direction.pass(piece));
  from.on('end', () => swallows() || direction.end());
  from.on('error', () => swallows() || direction.reset());
  from.on('close', () => {
    if (!swallows()) direction.close();
    left();
  });
  return direction.drop;
};

interface Relaying {
  readonly fault: () => LinkFault;
  readonly swallows: () => boolean;
  readonly left: () => void;
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
  const left = () => {
    if (!client.destroyed || !server.destroyed) return;
    for (const drop of drops) drop();
    closed();
  };
  const drops = [
    relay(client, server, { fault, swallows, left }),
    relay(server, client, { fault, swallows, left }),
  ];
  client.setNoDelay(true);
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

import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Socket } from 'node:net';
import { PassingSet } from '#libs/kernel/passing-map.ts';
import { afterNextPoll } from '#libs/runtime/after-next-poll.ts';
import { isSent } from './written-response.ts';

/** The response to the last request of a connection that has come whole, until it is over. */
export type InHand = (socket: Socket) => ServerResponse | undefined;

/** The responses that are under way, each until it is over. */
const createInFlight = () => {
  const responses = new PassingSet<ServerResponse>();
  const anything = (): boolean => true;
  return {
    all: (): ServerResponse[] => responses.values(),
    /** The last one of a connection that is so. */
    lastOf: (socket: Socket, isSo: (response: ServerResponse) => boolean = anything) =>
      responses.values().findLast((response) => response.req.socket === socket && isSo(response)),
    add: (response: ServerResponse, onOver: () => void): void => {
      responses.add(response);
      response.once('close', () => {
        responses.delete(response);
        onOver();
      });
    },
  };
};
type InFlight = ReturnType<typeof createInFlight>;

/** A server that stops has each connection closed by its last response: Node sends nothing more after one that closes it. */
const closingConnections = ({ all, lastOf }: InFlight) => ({
  /** What is under way. */
  now: (): void => {
    for (const [socket, response] of new Map(all().map((each) => [each.req.socket, each]))) {
      response.shouldKeepAlive = false;
      // Its head may have said that the connection is kept.
      if (!response.headersSent) continue;
      response.once('close', () => {
        if (!lastOf(socket)) socket.destroySoon();
      });
    }
  },
  /** What comes after that; it may come behind others. */
  after: (response: ServerResponse): void => {
    const before = lastOf(response.req.socket);
    if (before && !before.headersSent) before.shouldKeepAlive = true;
    response.shouldKeepAlive = false;
  },
});

/**
 * Knows what is under way on each connection. Closes keep-alive connections on shutdown: the last response of each carries `Connection: close`,
 * so that clients reconnect elsewhere.
 */
export const createConnectionDraining = () => {
  const [sockets, inFlight] = [new PassingSet<Socket>(), createInFlight()];
  const closing = closingConnections(inFlight);
  let draining: Server | undefined;
  /** Node takes a connection for idle whose last response is written, though what it wrote may not be sent yet. */
  const closeIdle = (): void => {
    if (draining && !inFlight.all().some(({ writableEnded }) => writableEnded))
      draining.closeIdleConnections();
  };
  const cutOthers = (): void => {
    const answering = inFlight.all().filter((response) => isSent(response) || response.req.complete);
    const kept = new Set(answering.map(({ req }) => req.socket));
    for (const socket of sockets.values()) if (!kept.has(socket)) socket.destroy();
  };
  return {
    /** Registers a connection. */
    connected: (socket: Socket): void => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    },
    /** Registers a response before its headers are written. */
    track: (response: ServerResponse): void => {
      if (draining) closing.after(response);
      inFlight.add(response, closeIdle);
    },
    /** Asks all that is in flight, for what seldom happens: what is noted for each request costs an overload a tenth of its goodput and more. */
    inHand: ((socket) => inFlight.lastOf(socket, ({ req }) => req.complete)) satisfies InHand,
    /** The connection is lost, and Node does not tell its responses. */
    forsake: (socket: Socket): void => {
      for (const response of inFlight.all()) if (response.req.socket === socket) response.destroy();
    },
    /**
     * From now on the last response of every connection closes it, be it in flight or still to come, and the server takes no new one. Resolves when
     * all are closed. Those on which no request has come whole after `requestTimeoutMs` are cut.
     */
    close: (server: Server, requestTimeoutMs: number): Promise<void> =>
      new Promise((resolve) => {
        draining = server;
        closing.now();
        const timer = setTimeout(() => void afterNextPoll().then(cutOthers), requestTimeoutMs);
        // An HTTP server's own `close` would cut what is not sent yet, and time requests no more: that is for when all is over.
        NetServer.prototype.close.call(server, () => {
          clearTimeout(timer);
          server.close();
          resolve();
        });
        closeIdle();
      }),
  };
};

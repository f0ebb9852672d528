import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PassingSet } from '#libs/kernel/passing-map.ts';
import { isSent } from './written-response.ts';

/** The response to the last request of a connection that has come whole, until it is over. */
export type InHand = (socket: Socket) => ServerResponse | undefined;

/** Knows what is under way on each connection. Closes keep-alive connections on shutdown: responses carry `Connection: close`, so that clients reconnect elsewhere. */
export const createConnectionDraining = () => {
  const [sockets, inFlight] = [new PassingSet<Socket>(), new PassingSet<ServerResponse>()];
  let isDraining = false;
  const cutOthers = (): void => {
    const answering = inFlight.values().filter((response) => isSent(response) || response.req.complete);
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
      response.shouldKeepAlive &&= !isDraining;
      inFlight.add(response);
      response.once('close', () => inFlight.delete(response));
    },
    /** Asks all that is in flight, for what seldom happens: what is noted for each request costs an overload a tenth of its goodput and more. */
    inHand: ((socket) =>
      inFlight.values().findLast(({ req }) => req.socket === socket && req.complete)) satisfies InHand,
    /**
     * From now on every response closes its connection, those in flight and those still to come, and the server takes no new one. Resolves when all
     * are closed. Node times none of them any more: those on which no request has come whole after `requestTimeoutMs` are cut.
     */
    close: (server: Server, requestTimeoutMs: number): Promise<void> =>
      new Promise((resolve) => {
        isDraining = true;
        for (const response of inFlight.values()) response.shouldKeepAlive = false;
        const timer = setTimeout(cutOthers, requestTimeoutMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
};

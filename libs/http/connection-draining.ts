import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PassingSet } from '#libs/kernel/passing-map.ts';

/** Closes keep-alive connections on shutdown: responses carry `Connection: close`, so that clients reconnect elsewhere. */
export const createConnectionDraining = () => {
  const [sockets, inFlight] = [new PassingSet<Socket>(), new PassingSet<ServerResponse>()];
  let isDraining = false;
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
    /** From now on every response closes its connection: those in flight and those still to come. */
    start: (): void => {
      isDraining = true;
      for (const response of inFlight.values()) response.shouldKeepAlive = false;
    },
    /** Ends every connection on which no response is being written: what was to be answered is by now, and the rest is no whole request. */
    endOthers: (): void => {
      const answering = inFlight.values().filter(({ headersSent }) => headersSent);
      const kept = new Set(answering.map(({ socket }) => socket));
      for (const socket of sockets.values()) if (!kept.has(socket)) socket.destroy();
    },
  };
};

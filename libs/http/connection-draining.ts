import type { ServerResponse } from 'node:http';

/** Closes keep-alive connections on shutdown: responses carry `Connection: close`, so that clients reconnect elsewhere. */
export interface ConnectionDraining {
  /** Registers a response before its headers are written. */
  track(response: ServerResponse): void;
  /** From now on every response closes its connection: those in flight and those still to come. */
  start(): void;
}

/** The connection draining of one server. */
export const createConnectionDraining = (): ConnectionDraining => {
  const inFlight = new Set<ServerResponse>();
  let isDraining = false;
  return {
    track: (response) => {
      response.shouldKeepAlive &&= !isDraining;
      inFlight.add(response);
      response.once('close', () => inFlight.delete(response));
    },
    start: () => {
      isDraining = true;
      for (const response of inFlight) response.shouldKeepAlive = false;
    },
  };
};

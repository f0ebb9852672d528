import type { ServerResponse } from 'node:http';
import { PassingSet } from '#libs/kernel/passing-map.ts';

/** Closes keep-alive connections on shutdown: responses carry `Connection: close`, so that clients reconnect elsewhere. */
export const createConnectionDraining = () => {
  const inFlight = new PassingSet<ServerResponse>();
  let isDraining = false;
  return {
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
  };
};

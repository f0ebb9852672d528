import type { ServerResponse } from 'node:http';

/** Tells clients, by `Connection: close`, that they must come back over another connection. */
export interface ConnectionDraining {
  /** Every answer is made known before it begins. */
  greet(response: ServerResponse): void;
  /** From now on: to the answers in hand, and to whatever still comes. */
  say(): void;
}

/** A server's farewell to its keep-alive connections. */
export const createConnectionDraining = (): ConnectionDraining => {
  const inHand = new Set<ServerResponse>();
  let leaving = false;
  return {
    greet: (response) => {
      response.shouldKeepAlive &&= !leaving;
      inHand.add(response);
      response.once('close', () => inHand.delete(response));
    },
    say: () => {
      leaving = true;
      for (const response of inHand) response.shouldKeepAlive = false;
    },
  };
};

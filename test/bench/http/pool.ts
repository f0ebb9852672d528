import { createConnection } from './connection.ts';
import type { Connection, Outcome } from './connection.ts';
import { createFifo } from '../queue.ts';

const checkEveryMs = 200;

/** Connections of many game servers or launchers to one address. */
export interface Pool {
  readonly host: string;
  /** Sends on the connection that has rested longest; makes one more where none is free, up to the most, and waits for one then. */
  send(request: string, done: (outcome: Outcome) => void): void;
  readonly size: number;
  close(): void;
}

interface PoolOptions {
  readonly url: string;
  readonly connections: number;
  readonly mostConnections: number;
  readonly timeoutMs: number;
}

interface Waiting {
  readonly request: string;
  readonly done: (outcome: Outcome) => void;
}

/** A pool with so many connections from the beginning, which are used in turn. */
export const createPool = ({ url, connections, mostConnections, timeoutMs }: PoolOptions): Pool => {
  const { hostname, port, host } = new URL(url);
  const all: Connection[] = [];
  const [free, waiting] = [createFifo<Connection>(), createFifo<Waiting>()];
  const add = (): Connection => {
    const made = createConnection({ host: hostname, port: Number(port) });
    all.push(made);
    return made;
  };
  for (let made = 0; made < connections; made += 1) free.push(add());
  const use = (connection: Connection, { request, done }: Waiting): void =>
    connection.send(request, (outcome) => {
      const next = waiting.take();
      if (next === undefined) free.push(connection);
      else use(connection, next);
      done(outcome);
    });
  const timer = setInterval(() => {
    const before = performance.now() - timeoutMs;
    for (const connection of all) connection.giveUpBefore(before);
  }, checkEveryMs);
  timer.unref();
  return {
    host,
    get size() {
      return all.length;
    },
    send: (request, done) => {
      const connection = free.take() ?? (all.length < mostConnections ? add() : undefined);
      if (connection === undefined) waiting.push({ request, done });
      else use(connection, { request, done });
    },
    close: () => {
      clearInterval(timer);
      for (const connection of all) connection.close();
    },
  };
};

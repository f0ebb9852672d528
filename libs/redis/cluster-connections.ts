import { Redis } from 'ioredis';
import type { RedisOptions } from 'ioredis';
import { addressText } from './cluster-slots.ts';
import type { Address } from './cluster-slots.ts';

/** How connections to the servers of a cluster are made. */
export interface ConnectionsOptions {
  /** Of every connection. */
  readonly options: RedisOptions;
  /** Called with each connection before it is used. */
  readonly prepare: (connection: Redis) => void;
  readonly onError: (error: Error) => void;
  /** A connection broke that nobody here had closed. */
  readonly onLost: (server: Address) => void;
}

/** One connection for each server of a cluster. */
export interface ClusterConnections {
  /** The connection to a server, which is made if there is none. */
  connect(server: Address): Promise<Redis>;
  /** The connection to a server, if it is open. */
  of(server: Address): Redis | undefined;
  /** Closes those to all others. */
  keepOnly(servers: readonly Address[]): void;
}

/** A client of one server that connects when it is told to. */
export const plainClient = (options: RedisOptions): Redis => {
  const { replyMapping: _, ...others } = options;
  return new Redis({ ...others, lazyConnect: true });
};

/** Connections that do not come back by themselves: what a server was may have changed when it is there again. */
export const createClusterConnections = (settings: ConnectionsOptions): ClusterConnections => {
  const { options, prepare, onError, onLost } = settings;
  const made = new Map<string, Redis>();
  const close = (server: string): void => {
    const connection = made.get(server);
    made.delete(server);
    connection?.disconnect();
  };
  const make = (server: Address): Redis => {
    const name = addressText(server);
    const connection = plainClient({ ...options, ...server, retryStrategy: () => null });
    prepare(connection);
    connection.on('error', onError).on('close', () => {
      if (made.get(name) === connection && made.delete(name)) onLost(server);
    });
    made.set(name, connection);
    return connection;
  };
  const of = (server: Address): Redis | undefined => {
    const connection = made.get(addressText(server));
    return connection?.status === 'ready' ? connection : undefined;
  };
  const connect = async (server: Address): Promise<Redis> => {
    const open = of(server);
    if (open) return open;
    close(addressText(server));
    const connection = make(server);
    await connection.connect();
    return connection;
  };
  const keepOnly = (servers: readonly Address[]): void => {
    const kept = new Set(servers.map(addressText));
    for (const name of made.keys()) if (!kept.has(name)) close(name);
  };
  return { of, connect, keepOnly };
};

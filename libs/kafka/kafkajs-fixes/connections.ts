import kafkajs from 'kafkajs';
import Connection from 'kafkajs/src/network/connection.js';

const int32Bytes = 4;

/** Forgets a connection at once, with what waits for it: the next request opens another one. */
const drop = (connection: Connection, error: Error): void => {
  connection.requestQueue.rejectAll(error);
  connection.requestQueue.destroy();
  connection.socket?.destroy();
  Object.assign(connection, { connectionStatus: 'disconnected', authenticatedAt: null });
  Object.assign(connection, { chunks: [], bytesBuffered: 0, bytesNeeded: int32Bytes });
};

const { connect, send, disconnect } = Connection.prototype;

/**
 * kafkajs 2.2.4 keeps the connection of a request that timed out, although its host may have died without a word: each further request
 * waits its whole time on it, and no metadata is refreshed. Here the connection is given up, as if the host had closed it.
 */
Connection.prototype.send = async function (this: Connection, protocol: unknown): Promise<unknown> {
  const { socket } = this;
  try {
    return await send.call(this, protocol);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'KafkaJSRequestTimeoutError') throw error;
    const lost = new kafkajs.KafkaJSConnectionError(error.message, { broker: `${this.host}:${this.port}` });
    if (socket === undefined || socket === this.socket) drop(this, lost);
    throw lost;
  }
};

/**
 * kafkajs 2.2.4 waits for the requests in flight before it disconnects; from a host that died without a word that is until they time out,
 * and everything that needs fresh metadata waits with it. Whoever disconnects here has waited for its own requests before.
 */
Connection.prototype.disconnect = function (this: Connection): Promise<boolean> {
  const broker = `${this.host}:${this.port}`;
  this.requestQueue.rejectAll(new kafkajs.KafkaJSConnectionError('disconnecting', { broker }));
  // To one that is gone it would add a listener each time.
  if (this.socket?.destroyed) this.socket = undefined;
  return disconnect.call(this);
};

const connecting = new WeakMap<Connection, Promise<unknown>>();

/** kafkajs 2.2.4 opens a socket for each request that finds its connection closed, and writes all of them to the last one. */
Connection.prototype.connect = function (this: Connection): Promise<unknown> {
  const pending = connecting.get(this) ?? connect.call(this).finally(() => connecting.delete(this));
  connecting.set(this, pending);
  return pending;
};

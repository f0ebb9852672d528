import kafkajs from 'kafkajs';
import Connection from 'kafkajs/src/network/connection.js';
import type { Protocol } from 'kafkajs/src/network/connection.js';

const int32Bytes = 4;
/** API keys of the protocol, and how long their requests may take where that is longer than others may, in ms. */
const patienceMs: ReadonlyMap<number, number> = new Map([
  // Produce: followers that have died are waited for until the controller has noticed.
  [0, 6_000],
  // SyncGroup: waits for the member that assigns the partitions.
  [14, 8_000],
  // InitProducerId: the coordinator of producers may have to load.
  [22, 8_000],
  // OffsetCommit: as Produce.
  [8, 6_000],
  // SaslHandshake and SaslAuthenticate: costly for a broker to which everybody connects again.
  [17, 10_000],
  [36, 10_000],
]);
const fetchKey = 1;
/** Fetch, Metadata, FindCoordinator, Heartbeat and ApiVersions wait for no other broker: who leaves them unanswered is silent. */
const answeredAtOnce: ReadonlySet<number> = new Set([fetchKey, 3, 10, 12, 18]);

/** How long a request may take: kafkajs would give a fetch five seconds more than the longest wait for messages. */
const requestTimeoutOf = ({ request, requestTimeout }: Protocol): number | null =>
  request.apiKey === fetchKey ? null : (patienceMs.get(request.apiKey) ?? requestTimeout ?? null);

/** The open connections of this process to each broker. */
const open = new Map<string, Set<Connection>>();
const brokerOf = ({ host, port }: Connection): string => `${host}:${port}`;

const opened = (connection: Connection): void => {
  const broker = brokerOf(connection);
  open.set(broker, (open.get(broker) ?? new Set()).add(connection));
};
const closed = (connection: Connection): void => {
  const broker = brokerOf(connection);
  open.get(broker)?.delete(connection);
  if (open.get(broker)?.size === 0) open.delete(broker);
};

/** Forgets a connection at once, with what waits for it: the next request opens another one. */
const drop = (connection: Connection, error: Error): void => {
  closed(connection);
  connection.requestQueue.rejectAll(error);
  connection.requestQueue.destroy();
  connection.socket?.destroy();
  Object.assign(connection, { connectionStatus: 'disconnected', authenticatedAt: null });
};

const isIdle = ({ requestQueue, sasl, authenticatedAt }: Connection): boolean =>
  requestQueue.inflight.size + requestQueue.pending.length === 0 && (!sasl || authenticatedAt !== null);

/** Whoever is silent on one connection is doubted on all: those on which nothing is under way would only be found silent one by one. */
const dropIdle = (broker: string, error: Error): void => {
  for (const each of [...(open.get(broker) ?? [])]) if (isIdle(each)) drop(each, error);
};

const { connect, send, disconnect } = Connection.prototype;

/** A login that failed because the connection was lost; kafkajs takes it for a refusal, which ends the process. */
const isCutOff = (connection: Connection, { name }: Error): boolean =>
  name === 'KafkaJSSASLAuthenticationError' && !connection.isConnected();

/**
 * kafkajs 2.2.4 keeps the connection of a request that timed out, although its host may have died without a word: each further request
 * waits its whole time on it, and no metadata is refreshed. Here the connection is given up, as if the host had closed it.
 */
Connection.prototype.send = async function (this: Connection, protocol): Promise<unknown> {
  const { socket } = this;
  try {
    return await send.call(this, { ...protocol, requestTimeout: requestTimeoutOf(protocol) });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const broker = brokerOf(this);
    const lost = new kafkajs.KafkaJSConnectionError(error.message, { broker });
    if (isCutOff(this, error)) throw lost;
    if (error.name !== 'KafkaJSRequestTimeoutError') throw error;
    if (socket === undefined || socket === this.socket) drop(this, lost);
    if (answeredAtOnce.has(protocol.request.apiKey)) dropIdle(broker, lost);
    throw lost;
  }
};

/**
 * kafkajs 2.2.4 waits for the requests in flight before it disconnects; from a host that died without a word that is until they time out,
 * and everything that needs fresh metadata waits with it. Whoever disconnects here has waited for its own requests before.
 */
Connection.prototype.disconnect = function (this: Connection): Promise<boolean> {
  closed(this);
  this.requestQueue.rejectAll(
    new kafkajs.KafkaJSConnectionError('disconnecting', { broker: brokerOf(this) }),
  );
  // To one that is gone it would add a listener each time.
  if (this.socket?.destroyed) this.socket = undefined;
  return disconnect.call(this);
};

const connecting = new WeakMap<Connection, Promise<unknown>>();

const connectOnce = async (connection: Connection): Promise<unknown> => {
  // What arrived of a response before the connection was lost is no beginning of the next one.
  Object.assign(connection, { chunks: [], bytesBuffered: 0, bytesNeeded: int32Bytes });
  try {
    const connected = await connect.call(connection);
    opened(connection);
    return connected;
  } finally {
    connecting.delete(connection);
  }
};

/**
 * kafkajs 2.2.4 opens a socket for each request that finds its connection closed, and writes all of them to the last one; and it reads what
 * comes on a new socket as the rest of a response that the last one was cut off in.
 */
Connection.prototype.connect = function (this: Connection): Promise<unknown> {
  if (this.isConnected()) return Promise.resolve(true);
  const pending = connecting.get(this) ?? connectOnce(this);
  connecting.set(this, pending);
  return pending;
};

import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Socket } from 'node:net';
import { PassingSet } from '#libs/kernel/passing-map.ts';
import { afterNextPoll } from '#libs/runtime/after-next-poll.ts';
import { isSent } from './written-response.ts';

/**
 * So long, in ms, a server that stops takes what its callers sent before they could know: connections that the kernel holds, and requests over
 * connections that seem idle. All are told that their connection closes, and come no more.
 */
const stillTakenMs = 300;

/** The responses that are under way on a connection, as Node sends them. */
export type InFlightOf = (socket: Socket) => ServerResponse[];

/** The responses that are under way, each until it is over. */
const createInFlight = () => {
  const responses = new PassingSet<ServerResponse>();
  return {
    all: (): ServerResponse[] => responses.values(),
    of: ((socket) => responses.values().filter(({ req }) => req.socket === socket)) satisfies InFlightOf,
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

/** Cuts the connections on which no request has come whole or been answered. */
const cutOthers = (sockets: readonly Socket[], { all }: InFlight): void => {
  const answering = all().filter((response) => isSent(response) || response.req.complete);
  const kept = new Set(answering.map(({ req }) => req.socket));
  for (const socket of sockets) if (!kept.has(socket)) socket.destroy();
};

/** A server that stops has each connection closed by its last response: Node sends nothing more after one that closes it. */
const closingConnections = (sockets: PassingSet<Socket>, inFlight: InFlight) => {
  const { all, of } = inFlight;
  let isLate = false;
  return {
    /** What is under way. */
    begin: (): void => {
      for (const [socket, response] of new Map(all().map((each) => [each.req.socket, each]))) {
        response.shouldKeepAlive = false;
        // Its head may have said that the connection is kept.
        if (!response.headersSent) continue;
        response.once('close', () => {
          if (of(socket).length === 0) socket.destroySoon();
        });
      }
    },
    /** From now on nothing is the last one in place of another, and who has not asked for anything by then is cut. */
    late: (): void => {
      isLate = true;
      cutOthers(sockets.values(), inFlight);
    },
    /** Whether what comes later, maybe behind others, can be answered. */
    takes: (response: ServerResponse): boolean => {
      const before = of(response.req.socket).at(-1);
      const isOver = before !== undefined && !before.shouldKeepAlive && (before.headersSent || isLate);
      if (before && !before.headersSent && !isOver) before.shouldKeepAlive = true;
      response.shouldKeepAlive = false;
      return !isOver;
    },
  };
};

/**
 * Knows what is under way on each connection. Closes keep-alive connections on shutdown: the last response of each carries `Connection: close`,
 * so that clients reconnect elsewhere.
 */
export const createConnectionDraining = () => {
  const [sockets, inFlight] = [new PassingSet<Socket>(), createInFlight()];
  const closing = closingConnections(sockets, inFlight);
  let draining = false;
  let closed: Server | undefined;
  /** Node takes a connection for idle whose last response is written, though what it wrote may not be sent yet. */
  const closeIdle = (): void => {
    if (closed && !inFlight.all().some(({ writableEnded }) => writableEnded)) closed.closeIdleConnections();
  };
  return {
    /** Registers a connection. */
    connected: (socket: Socket): void => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    },
    /** Registers a response before its headers are written. False where one before it closes the connection: its request is not to be begun. */
    track: (response: ServerResponse): boolean => {
      if (draining && !closing.takes(response)) return false;
      inFlight.add(response, closeIdle);
      return true;
    },
    /** Asks all that is in flight, for what seldom happens: what is noted for each request costs an overload a tenth of its goodput and more. */
    inFlightOf: inFlight.of,
    /**
     * From now on the last response of every connection closes it, be it in flight or still to come. A moment later the server takes no new one, and
     * idle ones are closed, but not while a response of another waits to be sent. Resolves when all are closed. After `requestTimeoutMs` those are
     * cut on which no request has come whole or been answered, and what comes behind a request is not taken any more.
     */
    close: (server: Server, requestTimeoutMs: number): Promise<void> =>
      new Promise((resolve) => {
        draining = true;
        closing.begin();
        const timer = setTimeout(() => void afterNextPoll().then(closing.late), requestTimeoutMs);
        const takeNoMore = (): void => {
          closed = server;
          // An HTTP server's own `close` would cut what is not sent yet, and time requests no more: that is for when all is over.
          NetServer.prototype.close.call(server, () => {
            clearTimeout(timer);
            server.close();
            resolve();
          });
          closeIdle();
        };
        setTimeout(() => void afterNextPoll().then(takeNoMore), stillTakenMs);
      }),
  };
};

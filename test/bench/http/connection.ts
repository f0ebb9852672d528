import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { createResponseReader } from './response-reader.ts';
import type { HttpAnswer } from './response-reader.ts';

/** Why no answer came. */
export const failures = ['timed out', 'reset', 'not connected', 'unreadable'] as const;
type Failure = (typeof failures)[number];
/** What became of a request. */
export type Outcome = HttpAnswer | Failure;
type Done = (outcome: Outcome) => void;

/** A keep-alive connection that has one request at a time. */
export interface Connection {
  send(request: string, done: Done): void;
  /** Gives up a request that has waited since before this instant (performance.now). */
  giveUpBefore(ms: number): void;
  close(): void;
}

const readBufferBytes = 65_536;
/** All connections share it: a chunk is read before the next one can come. */
const readBuffer = Buffer.allocUnsafe(readBufferBytes);

interface Place {
  readonly host: string;
  readonly port: number;
}

/**
 * A connection made of a bare socket: node's own clients cost three times the CPU, and the generator shares the machine with what it
 * measures. One that breaks is made again by the next request.
 */
export const createConnection = ({ host, port }: Place): Connection => {
  let socket: Socket | undefined;
  let waiting: Done | undefined;
  let sentAtMs = 0;
  const settle = (outcome: Outcome): void => {
    const done = waiting;
    waiting = undefined;
    done?.(outcome);
  };
  const drop = (failure: Failure): void => {
    const dropped = socket;
    socket = undefined;
    dropped?.destroy();
    settle(failure);
  };
  const open = (): Socket => {
    const read = createResponseReader((answer) => {
      if (/\r\nconnection: *close/i.test(answer.head)) {
        opened.destroy();
        socket = undefined;
      }
      settle(answer);
    });
    const callback = (length: number, buffer: Uint8Array): boolean => {
      try {
        read((buffer as Buffer).subarray(0, length));
      } catch {
        if (socket === opened) drop('unreadable');
      }
      return true;
    };
    let connected = false;
    const opened = connect({ host, port, noDelay: true, onread: { buffer: readBuffer, callback } });
    opened.once('connect', () => (connected = true));
    opened.on('error', () => undefined);
    opened.once('close', () => {
      if (socket === opened) drop(connected ? 'reset' : 'not connected');
    });
    return opened;
  };
  return {
    send: (request, done) => {
      waiting = done;
      sentAtMs = performance.now();
      socket ??= open();
      socket.write(request);
    },
    giveUpBefore: (ms) => {
      if (waiting !== undefined && sentAtMs < ms) drop('timed out');
    },
    close: () => drop('reset'),
  };
};

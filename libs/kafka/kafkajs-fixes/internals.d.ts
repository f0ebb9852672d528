/** What the fixes of kafkajs 2.2.4 use of its inside; none of it is part of its public interface. */

declare module 'kafkajs/src/network/requestQueue/index.js' {
  /** A request that has been sent. */
  interface RequestInFlight {
    /** In ms since the epoch. */
    readonly sentAt: number;
    /** In ms. */
    readonly requestTimeout: number;
    timeoutRequest(): void;
  }

  /** The queue of one connection to a broker. */
  export default class RequestQueue {
    throttledUntil: number;
    readonly pending: readonly unknown[];
    /** By correlation id. */
    readonly inflight: ReadonlyMap<number, RequestInFlight>;
    requestTimeoutIntervalId: NodeJS.Timeout | undefined;
    readonly isConnected: () => boolean;
    scheduleCheckPendingRequests(): void;
    /** Looks every 100 ms for requests in flight that have taken too long. */
    scheduleRequestTimeoutCheck(): void;
    /** Stops its timers. */
    destroy(): void;
    rejectAll(error: Error): void;
  }
}

declare module 'kafkajs/src/network/connection.js' {
  import type { Socket } from 'node:net';
  import type RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

  /** A request with how its response is read. */
  export interface Protocol {
    readonly request: { readonly apiKey: number };
    /** In ms; the client's where it is null or shorter. */
    readonly requestTimeout?: number | null;
  }

  /** One connection to a broker; connects again when it is asked to send. */
  export default class Connection {
    readonly host: string;
    readonly port: number;
    readonly requestQueue: RequestQueue;
    socket: Socket | undefined;
    readonly sasl: unknown;
    connectionStatus: string;
    authenticatedAt: unknown;
    /** The beginning of a response that has not arrived whole. */
    chunks: Buffer[];
    bytesBuffered: number;
    bytesNeeded: number;
    isConnected(): boolean;
    connect(): Promise<unknown>;
    send(protocol: Protocol): Promise<unknown>;
    disconnect(): Promise<boolean>;
  }
}

declare module 'kafkajs/src/consumer/consumerGroup.js' {
  /** A broker as the coordinator of a group. */
  type Coordinator = object;

  /** The offsets of an assignment. */
  interface OffsetManager {
    coordinator: Coordinator;
    readonly generationId: number;
  }

  /** A member of a group, and what it fetches. */
  export default class ConsumerGroup {
    constructor(options: object);
    readonly groupId: string;
    coordinator: Coordinator | null;
    readonly offsetManager: OffsetManager | null;
    readonly generationId: number | null;
    /** When a heartbeat was answered last, in ms since the epoch. */
    readonly lastRequest: number;
    readonly cluster: {
      refreshMetadata(): Promise<void>;
      findGroupCoordinator(group: { groupId: string }): Promise<Coordinator>;
    };
    heartbeat(settings: { interval: number }): Promise<void>;
    fetch(nodeId: string): Promise<readonly unknown[]>;
    recoverFromFetch(error: Error): Promise<void>;
    commitOffsets(offsets: unknown): Promise<void>;
  }
}

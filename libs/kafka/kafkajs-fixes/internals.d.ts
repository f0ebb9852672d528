/** What the fixes of kafkajs 2.2.4 use of its inside; none of it is part of its public interface. */

declare module 'kafkajs/src/network/requestQueue/index.js' {
  /** The queue of one connection to a broker. */
  export default class RequestQueue {
    throttledUntil: number;
    readonly pending: readonly unknown[];
    /** By correlation id. */
    readonly inflight: ReadonlyMap<number, unknown>;
    scheduleCheckPendingRequests(): void;
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
    connectionStatus: string;
    authenticatedAt: unknown;
    /** The beginning of a response that has not arrived whole. */
    chunks: Buffer[];
    bytesBuffered: number;
    bytesNeeded: number;
    connect(): Promise<unknown>;
    send(protocol: Protocol): Promise<unknown>;
    disconnect(): Promise<boolean>;
  }
}

declare module 'kafkajs/src/consumer/consumerGroup.js' {
  /** A broker as the coordinator of a group. */
  type Coordinator = object;

  /** A member of a group, and what it fetches. */
  export default class ConsumerGroup {
    readonly groupId: string;
    coordinator: Coordinator | null;
    readonly offsetManager: { coordinator: Coordinator } | null;
    readonly cluster: {
      refreshMetadata(): Promise<void>;
      findGroupCoordinator(group: { groupId: string }): Promise<Coordinator>;
    };
    heartbeat(settings: { interval: number }): Promise<void>;
    recoverFromFetch(error: Error): Promise<void>;
    commitOffsets(offsets: unknown): Promise<void>;
  }
}

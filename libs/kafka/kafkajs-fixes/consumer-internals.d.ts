/** What the fixes of kafkajs 2.2.4 use of its consumer's inside; none of it is part of its public interface. */

declare module 'kafkajs/src/consumer/consumerGroup.js' {
  /** A broker as the coordinator of a group. */
  type Coordinator = object;

  /** The offsets of an assignment. */
  interface OffsetManager {
    coordinator: Coordinator;
    readonly generationId: number;
    /** By topic and partition, of the topics that are assigned. */
    readonly resolvedOffsets: Readonly<Record<string, object>>;
  }

  /** A member of a group, and what it fetches. */
  export default class ConsumerGroup {
    constructor(options: object);
    readonly groupId: string;
    coordinator: Coordinator | null;
    readonly offsetManager: OffsetManager | null;
    readonly generationId: number | null;
    /** When a heartbeat was answered last, in ms since the epoch. */
    lastRequest: number;
    readonly cluster: {
      refreshMetadata(): Promise<void>;
      findGroupCoordinator(group: { groupId: string }): Promise<Coordinator>;
    };
    heartbeat(settings: { interval: number }): Promise<void>;
    fetch(nodeId: string): Promise<readonly unknown[]>;
    recoverFromFetch(error: Error): Promise<void>;
    commitOffsets(offsets: unknown): Promise<void>;
    resolveOffset(position: { topic: string; partition: number; offset: string }): void;
  }
}

declare module 'kafkajs/src/consumer/runner.js' {
  /** What a consumer does between its start and its stop. */
  export default class Runner {
    constructor(options: object);
    readonly running: boolean;
    /** One fetcher for each broker. */
    readonly fetchManager: { stop(): Promise<void> };
    start(): Promise<void>;
    stop(): Promise<void>;
    fetch(nodeId: string): Promise<readonly unknown[]>;
  }
}

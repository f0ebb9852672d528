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
    inflight: ReadonlyMap<number, RequestInFlight>;
    readonly isConnected: () => boolean;
    scheduleCheckPendingRequests(): void;
    /** Looks every 500 ms for requests in flight that have taken too long. */
    scheduleRequestTimeoutCheck(): void;
    /** Stops its timers. */
    destroy(): void;
    /** Gives the request its response. */
    fulfillRequest(response: { readonly correlationId: number }): void;
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

declare module 'kafkajs/src/utils/long.js' {
  /** A whole number of any size. */
  export default class Long {
    readonly value: bigint;
    /** Throws for what is no number. */
    static fromValue(value: unknown): Long;
    add(addend: Long | number): Long;
    toString(): string;
  }
}

declare module 'kafkajs/src/protocol/encoder.js' {
  import type { TimestampDelta } from 'kafkajs/src/protocol/recordBatch/record/v0/index.js';

  /** A part of a request that has been written: the first `offset` bytes of `buf`. */
  export default class Encoder {
    constructor(initialSize?: number);
    readonly buf: Buffer;
    readonly offset: number;
    readonly buffer: Buffer;
    static sizeOfVarLong(value: TimestampDelta): number;
    writeInt8(value: number): this;
    writeArray(array: readonly unknown[]): this;
    writeVarInt(value: number): this;
    writeVarLong(value: TimestampDelta): this;
    writeVarIntBytes(value: string | Buffer | null): this;
    writeVarIntString(value: string | null): this;
    writeVarIntArray(array: readonly Encoder[]): this;
    size(): number;
  }
}

declare module 'kafkajs/src/protocol/decoder.js' {
  import type Long from 'kafkajs/src/utils/long.js';

  /** Reads on from `offset`; behind the end of the buffer it reads zeros and empty slices. */
  export default class Decoder {
    constructor(buffer: Buffer);
    readonly buffer: Buffer;
    offset: number;
    forward(bytes: number): void;
    readInt8(): number;
    readInt16(): number;
    readInt32(): number;
    readString(): string | null;
    readBytes(): Buffer | null;
    readArray<T>(reader: (decoder: Decoder) => T): T[];
    readVarInt(): number;
    readVarLong(): Long;
    readVarIntBytes(): Buffer | null;
    readVarIntString(): string | null;
    readVarIntArray<T>(reader: (decoder: Decoder) => T): T[];
  }
}

declare module 'kafkajs/src/protocol/timestampTypes.js' {
  const timestampTypes: { readonly CREATE_TIME: number; readonly LOG_APPEND_TIME: number };
  export default timestampTypes;
}

declare module 'kafkajs/src/protocol/recordBatch/record/v0/index.js' {
  import type Encoder from 'kafkajs/src/protocol/encoder.js';
  import type Long from 'kafkajs/src/utils/long.js';

  type TimestampDelta = number | bigint | Long;
  type HeaderValue = string | Buffer | null;

  /** A record to be written into a batch. */
  export interface RecordToEncode {
    readonly offsetDelta?: number;
    /** In ms after the first record of the batch. */
    readonly timestampDelta?: TimestampDelta;
    readonly key?: string | Buffer | null;
    readonly value?: string | Buffer | null;
    readonly headers?: Readonly<Record<string, HeaderValue | HeaderValue[]>>;
  }

  export default function encode(record: RecordToEncode): Encoder;
}

declare module 'kafkajs/src/protocol/recordBatch/record/v0/decoder.js' {
  import type Decoder from 'kafkajs/src/protocol/decoder.js';

  /** What all records of a batch have in common. */
  export interface BatchContext {
    /** In decimal digits, as are the timestamps in ms since the epoch. */
    readonly firstOffset?: string;
    readonly firstTimestamp?: string;
    readonly maxTimestamp?: string;
    readonly timestampType?: number;
    readonly magicByte?: number;
    /** Whether it marks the end of a transaction. */
    readonly isControlBatch?: boolean;
  }

  /** By name; a repeated one has an array. */
  export type DecodedHeaders = Record<string, Buffer | null | (Buffer | null)[]>;

  /** A record as it is fetched. */
  export interface DecodedRecord {
    readonly magicByte: number | undefined;
    readonly attributes: number;
    readonly timestamp: string;
    readonly offset: string;
    readonly key: Buffer | null;
    readonly value: Buffer | null;
    readonly headers: DecodedHeaders;
    readonly isControlRecord: boolean;
    readonly batchContext: BatchContext;
  }

  export default function decode(decoder: Decoder, batchContext?: BatchContext): DecodedRecord;
}

declare module 'kafkajs/src/protocol/recordBatch/crc32C/index.js' {
  export default function crc32c(bytes: Buffer): number;
}

declare module 'kafkajs/src/protocol/requests/produce/v3/request.js' {
  import type Encoder from 'kafkajs/src/protocol/encoder.js';
  import type { RecordToEncode } from 'kafkajs/src/protocol/recordBatch/record/v0/index.js';
  import type Long from 'kafkajs/src/utils/long.js';

  /** What goes to one partition; timestamps in ms since the epoch. */
  export interface BatchToProduce {
    readonly partition: number;
    readonly firstSequence?: number;
    readonly messages: readonly (RecordToEncode & { readonly timestamp?: string | number | null })[];
  }

  export interface ProduceOptions {
    readonly acks: number;
    /** In ms. */
    readonly timeout: number;
    readonly transactionalId?: string | null;
    readonly producerId?: number | string | Long;
    readonly producerEpoch?: number;
    /** 0 is none. */
    readonly compression?: number;
    readonly topicData: readonly {
      readonly topic: string;
      readonly partitions: readonly BatchToProduce[];
    }[];
  }

  export type MakeProduceRequest = (options: ProduceOptions) => { encode(): Promise<Encoder> };
  const make: MakeProduceRequest;
  export default make;
}

declare module 'kafkajs/src/protocol/requests/produce/v7/response.js' {
  /** What a broker made of a request to produce. */
  interface ProduceAnswer {
    readonly topics: readonly {
      readonly topicName: string;
      readonly partitions: readonly { readonly partition: number; readonly errorCode: number }[];
    }[];
  }

  const response: {
    decode(raw: unknown): Promise<ProduceAnswer>;
    parse(data: ProduceAnswer): Promise<ProduceAnswer>;
  };
  export default response;
}

declare module 'kafkajs/src/broker/index.js' {
  /** What is written to one broker. */
  export interface ProduceRequest {
    readonly topicData: readonly {
      readonly topic: string;
      readonly partitions: readonly { readonly partition: number; firstSequence: number }[];
    }[];
  }

  /** A broker with its connections. */
  export default class Broker {
    /** Throws a KafkaJSProtocolError for an answer that refuses, another error where none has come. */
    produce(request: ProduceRequest): Promise<unknown>;
  }
}

declare module 'kafkajs/src/protocol/error.js' {
  const errors: {
    /** The protocol's error of a code, with its name as `type`. */
    createErrorFromCode(code: number): Error & { readonly type: string; readonly retriable: boolean };
  };
  export default errors;
}

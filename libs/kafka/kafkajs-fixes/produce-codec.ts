import Encoder from 'kafkajs/src/protocol/encoder.js';
import crc32c from 'kafkajs/src/protocol/recordBatch/crc32C/index.js';
import type {
  BatchToProduce,
  MakeProduceRequest,
  ProduceOptions,
} from 'kafkajs/src/protocol/requests/produce/v3/request.js';
import Long from 'kafkajs/src/utils/long.js';
import { encodeRecord } from './record-codec.ts';

const magic = 2;
/** Bit 4 of a batch's attributes. */
const inTransaction = 16;
/** Bytes of a batch: to the end of its length, to what its checksum covers, and to its first record. */
const [afterLength, checksummed, headBytes] = [12, 21, 61];
/** Bytes of a partition's number and its batch's size, of a count, and of the length of a text. */
const [partitionBytes, countBytes, lengthBytes] = [8, 4, 2];

type Int64 = bigint | number | string | Long;
type Owner = Pick<ProduceOptions, 'transactionalId' | 'producerId' | 'producerEpoch'>;

const int64 = (value: Int64): bigint => BigInt.asIntN(64, Long.fromValue(value).value);

/** Bytes of a text with its length before it; null has a length alone. */
const sizeOfText = (text: string | null): number => lengthBytes + Buffer.byteLength(text ?? '');

/** Returns where it ends. */
const writeText = (bytes: Buffer, start: number, text: string | null): number => {
  const size = Buffer.byteLength(text ?? '');
  bytes.writeInt16BE(text === null ? -1 : size, start);
  return start + lengthBytes + bytes.write(text ?? '', start + lengthBytes);
};

/** A batch that is not compressed, with its records as bytes. */
const batchOf = ({ partition, firstSequence, messages }: BatchToProduce) => {
  const nowMs = Date.now();
  // As kafkajs sorts them.
  const told = messages.flatMap(({ timestamp }) => timestamp ?? []).sort();
  const [firstAtMs = nowMs] = told;
  const records = messages.map((message, offsetDelta) => {
    const timestampDelta = Number(message.timestamp || nowMs) - Number(firstAtMs);
    return encodeRecord({ ...message, offsetDelta, timestampDelta }).buffer;
  });
  const size = records.reduce((sum, { length }) => sum + length, headBytes);
  return { partition, firstSequence, records, size, firstAtMs, lastAtMs: told.at(-1) ?? nowMs };
};
type Batch = ReturnType<typeof batchOf>;

/** Writes a batch with its partition; returns where it ends. */
const writeBatch = (bytes: Buffer, start: number, batch: Batch, owner: Owner): number => {
  const { records, size } = batch;
  bytes.writeInt32BE(batch.partition, start);
  bytes.writeInt32BE(size, start + 4);
  const at = start + partitionBytes;
  bytes.fill(0, at, at + headBytes);
  bytes.writeInt32BE(size - afterLength, at + 8);
  bytes.writeInt8(magic, at + 16);
  bytes.writeInt16BE(owner.transactionalId ? inTransaction : 0, at + checksummed);
  bytes.writeInt32BE(records.length - 1, at + 23);
  bytes.writeBigInt64BE(int64(batch.firstAtMs), at + 27);
  bytes.writeBigInt64BE(int64(batch.lastAtMs), at + 35);
  bytes.writeBigInt64BE(int64(owner.producerId ?? -1), at + 43);
  bytes.writeInt16BE(owner.producerEpoch ?? 0, at + 51);
  bytes.writeInt32BE(batch.firstSequence ?? 0, at + 53);
  bytes.writeInt32BE(records.length, at + 57);
  let end = at + headBytes;
  for (const record of records) end += record.copy(bytes, end);
  bytes.writeUInt32BE(crc32c(bytes.subarray(at + checksummed, end)), at + 17);
  return end;
};

/** The body of a request to produce, in version 3 to 7 of the protocol, whose batches are not compressed: in one buffer of its size. */
export const encodeProduce = ({ acks, timeout, topicData, ...owner }: ProduceOptions): Encoder => {
  const { transactionalId = null } = owner;
  const topics = topicData.map(({ topic, partitions }) => ({ topic, batches: partitions.map(batchOf) }));
  let size = sizeOfText(transactionalId) + 2 + 4 + countBytes;
  for (const { topic, batches } of topics) {
    size += sizeOfText(topic) + countBytes;
    for (const batch of batches) size += partitionBytes + batch.size;
  }

  const buf = Buffer.allocUnsafe(size);
  let at = writeText(buf, 0, transactionalId);
  at = buf.writeInt16BE(acks, at);
  at = buf.writeInt32BE(timeout, at);
  at = buf.writeInt32BE(topics.length, at);
  for (const { topic, batches } of topics) {
    at = buf.writeInt32BE(batches.length, writeText(buf, at, topic));
    for (const batch of batches) at = writeBatch(buf, at, batch, owner);
  }
  return Object.assign(new Encoder(0), { buf, offset: at });
};

/** As kafkajs makes a request to produce; what is not compressed is written by `encodeProduce`. */
export const inOneBuffer =
  (make: MakeProduceRequest): MakeProduceRequest =>
  (options) =>
    options.compression ? make(options) : { ...make(options), encode: async () => encodeProduce(options) };

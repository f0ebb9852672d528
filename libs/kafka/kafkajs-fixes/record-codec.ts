import type Decoder from 'kafkajs/src/protocol/decoder.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import type {
  BatchContext,
  DecodedHeaders,
  DecodedRecord,
} from 'kafkajs/src/protocol/recordBatch/record/v0/decoder.js';
import type { RecordToEncode, TimestampDelta } from 'kafkajs/src/protocol/recordBatch/record/v0/index.js';
import timestampTypes from 'kafkajs/src/protocol/timestampTypes.js';
import Long from 'kafkajs/src/utils/long.js';

/** What stands in a record behind its own length: the key, the value, the name and the value of each header. */
interface Field {
  readonly content: string | Buffer | null;
  /** In bytes; -1 for null. */
  readonly size: number;
}

/** A signed 32-bit number as an unsigned one, small where the number is near zero. */
const zigzag = (value: number): number => ((value << 1) ^ (value >> 31)) >>> 0;

const sizeOfVarint = (value: number): number => {
  let size = 1;
  for (let rest = zigzag(value); rest >= 0x80; rest >>>= 7) size += 1;
  return size;
};

/** Returns where it ends, as all that write do. */
const writeVarint = (bytes: Buffer, start: number, value: number): number => {
  let at = start;
  let rest = zigzag(value);
  for (; rest >= 0x80; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
  bytes[at++] = rest;
  return at;
};

const isSmall = (delta: TimestampDelta): delta is number =>
  typeof delta === 'number' && (delta | 0) === delta;

const sizeOfDelta = (delta: TimestampDelta): number =>
  isSmall(delta) ? sizeOfVarint(delta) : Encoder.sizeOfVarLong(delta);

/** A delta of more than 24 days is left to kafkajs. */
const writeDelta = (bytes: Buffer, start: number, delta: TimestampDelta): number => {
  if (isSmall(delta)) return writeVarint(bytes, start, delta);
  const large = new Encoder().writeVarLong(delta).buffer;
  bytes.set(large, start);
  return start + large.length;
};

/** Throws a TypeError where a header has no value. */
const fieldOf = (content: string | Buffer | null): Field => {
  if (content === null) return { content, size: -1 };
  return { content, size: typeof content === 'string' ? Buffer.byteLength(content) : content.length };
};

/** Name and value by turns. */
const headerFields = (headers: RecordToEncode['headers'] = {}): Field[] => {
  const fields: Field[] = [];
  for (const [name, content] of Object.entries(headers)) {
    const nameField = fieldOf(name);
    const values = Array.isArray(content) ? content : [content];
    for (const value of values) fields.push(nameField, fieldOf(value));
  }
  return fields;
};

const sizeWithLength = ({ size }: Field): number => sizeOfVarint(size) + Math.max(size, 0);

/** Longer text is written faster by a call into the runtime than character by character. */
const shortText = 48;

const writeText = (bytes: Buffer, start: number, text: string, size: number): void => {
  const isAscii = size === text.length;
  if (!isAscii || size > shortText) bytes.write(text, start, size, isAscii ? 'latin1' : 'utf8');
  else for (let at = 0; at < size; at += 1) bytes[start + at] = text.charCodeAt(at);
};

const writeField = (bytes: Buffer, start: number, { content, size }: Field): number => {
  const at = writeVarint(bytes, start, size);
  if (content === null) return at;
  if (typeof content === 'string') writeText(bytes, at, content, size);
  else bytes.set(content, at);
  return at + size;
};

/** Writes a record of a batch into one buffer of its size. */
export const encodeRecord = (record: RecordToEncode): Encoder => {
  const { offsetDelta = 0, timestampDelta = 0 } = record;
  const key = fieldOf(record.key ?? null);
  const value = fieldOf(record.value ?? null);
  const headers = headerFields(record.headers);
  const headerCount = headers.length / 2;
  const attributes = 0;
  let size = 1 + sizeOfDelta(timestampDelta) + sizeOfVarint(offsetDelta);
  size += sizeWithLength(key) + sizeWithLength(value) + sizeOfVarint(headerCount);
  for (const field of headers) size += sizeWithLength(field);

  const buf = Buffer.allocUnsafe(sizeOfVarint(size) + size);
  let at = writeVarint(buf, 0, size);
  buf[at++] = attributes;
  at = writeDelta(buf, at, timestampDelta);
  at = writeVarint(buf, at, offsetDelta);
  at = writeField(buf, at, key);
  at = writeField(buf, at, value);
  at = writeVarint(buf, at, headerCount);
  for (const field of headers) at = writeField(buf, at, field);
  return Object.assign(new Encoder(0), { buf, offset: at });
};

/** The sum of a 64-bit number in decimal digits and a delta. */
const plus = (digits: string | undefined, delta: number | Long): string => {
  const first = Number(digits);
  if (typeof delta === 'number' && Number.isSafeInteger(first) && Number.isSafeInteger(first + delta))
    return String(first + delta);
  return Long.fromValue(digits).add(delta).toString();
};

/** A varlong of at most four bytes reads the same as a varint, and that needs no arithmetic of 64 bits. */
const readDelta = (decoder: Decoder): number | Long => {
  const { buffer, offset } = decoder;
  const last = Math.min(offset + 4, buffer.length);
  for (let at = offset; at < last; at += 1) if (Number(buffer[at]) < 0x80) return decoder.readVarInt();
  return decoder.readVarLong();
};

/** Reads a name without a slice of its own where its length is one byte, up to 63. */
const readName = (decoder: Decoder): string => {
  const { buffer, offset } = decoder;
  const length = Number(buffer[offset]);
  const isShort = length < 0x80 && (length & 1) === 0;
  if (!isShort) return String(decoder.readVarIntString());
  const start = offset + 1;
  decoder.offset = start + (length >> 1);
  return buffer.toString('utf8', start, decoder.offset);
};

/** As in kafkajs, a repeated name has an array of its values, and a name that every object inherits, as `toString`, counts as repeated. */
const addHeader = (headers: DecodedHeaders, name: string, value: Buffer | null): void => {
  const before = headers[name];
  if (before === undefined) headers[name] = value;
  else
    Object.defineProperty(headers, name, {
      value: Array.isArray(before) ? [...before, value] : [before, value],
      configurable: true,
      enumerable: true,
      writable: true,
    });
};

const readHeaders = (decoder: Decoder): DecodedHeaders => {
  const count = decoder.readVarInt();
  if (count < -1) throw new RangeError('Invalid array length');
  const headers: DecodedHeaders = {};
  for (let i = 0; i < count; i += 1) addHeader(headers, readName(decoder), decoder.readVarIntBytes());
  return headers;
};

/** Reads a record of a batch. Key, value and headers are parts of the buffer that was fetched, not copies. */
export const decodeRecord = (decoder: Decoder, batchContext: BatchContext = {}): DecodedRecord => {
  const { firstOffset, firstTimestamp, magicByte, isControlBatch = false } = batchContext;
  const { timestampType, maxTimestamp } = batchContext;
  const attributes = decoder.readInt8();
  const timestampDelta = readDelta(decoder);
  const timestamp =
    timestampType === timestampTypes.LOG_APPEND_TIME && maxTimestamp
      ? maxTimestamp
      : plus(firstTimestamp, timestampDelta);
  return {
    magicByte,
    attributes,
    timestamp,
    // From here on in the order of the bytes.
    offset: plus(firstOffset, decoder.readVarInt()),
    key: decoder.readVarIntBytes(),
    value: decoder.readVarIntBytes(),
    headers: readHeaders(decoder),
    isControlRecord: isControlBatch,
    batchContext,
  };
};

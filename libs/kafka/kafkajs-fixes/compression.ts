import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import kafkajs from 'kafkajs';
import Decoder from 'kafkajs/src/protocol/decoder.js';
import './fast-records.ts';

// Node does not find these two among the names that kafkajs exports.
const { CompressionCodecs, CompressionTypes } = kafkajs;

/** A broker takes a batch of 1 MiB as it is compressed; of our own none is larger than 768 KiB when it is not. */
const maxOutputLength = 33_554_432;

const whatToDo =
  'let its writers use gzip, zstd or no compression, set compression.type=producer on the topic (the topics Job does), and set the groups that read it behind the batch';

/** A batch that cannot be decompressed, with its compressed records. */
class UnreadableBatch extends Error {
  /** kafkajs gives up at once on an error of this name. */
  override readonly name = 'KafkaJSNotImplemented';
  readonly records: Buffer;
  constructor(why: string, records: Buffer, cause?: unknown) {
    super(why, { cause });
    this.records = records;
  }
}

/** A part of a request, as kafkajs has written it. */
interface Written {
  readonly buffer: Buffer;
}

type Zip = (bytes: Buffer) => Promise<Buffer>;
type Unzip = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const codecOf = (name: string, zip: Zip, unzip: Unzip) => ({
  compress: ({ buffer }: Written) => zip(buffer),
  decompress: async (records: Buffer): Promise<Buffer> => {
    try {
      return await unzip(records, { maxOutputLength });
    } catch (error) {
      const size = `the ${maxOutputLength} bytes that are read at most`;
      throw new UnreadableBatch(`is no ${name}, or larger than ${size}`, records, error);
    }
  },
});

const noCodec = (name: string) => {
  const refuse = async (records: Buffer): Promise<never> => {
    throw new UnreadableBatch(`is compressed with ${name}, which is not read here`, records);
  };
  return { compress: ({ buffer }: Written) => refuse(buffer), decompress: refuse };
};

const codecs = {
  [CompressionTypes.GZIP]: codecOf('gzip', promisify(zlib.gzip), promisify(zlib.unzip)),
  [CompressionTypes.ZSTD]: codecOf('zstd', promisify(zlib.zstdCompress), promisify(zlib.zstdDecompress)),
  [CompressionTypes.LZ4]: noCodec('lz4'),
  [CompressionTypes.Snappy]: noCodec('snappy'),
};

/**
 * kafkajs 2.2.4 has gzip only, without a bound, and of the others says that they are "not implemented". A broker may compress with any of them
 * what our producers have not.
 */
for (const [type, codec] of Object.entries(codecs)) Object.assign(CompressionCodecs, { [type]: () => codec });

const int64 = 8;
const abortedTransaction = 2 * int64;

/** Where the records of a partition stand in an answer. */
const partitionIn = (decoder: Decoder) => {
  const partition = decoder.readInt32();
  decoder.readInt16();
  decoder.forward(3 * int64);
  decoder.readArray((each) => each.forward(abortedTransaction));
  decoder.readInt32();
  const records = decoder.readBytes();
  return { partition, records };
};

const holds = (outer: Buffer | null, { byteOffset }: Buffer): boolean =>
  outer !== null && byteOffset >= outer.byteOffset && byteOffset < outer.byteOffset + outer.length;

/** The partition that a batch of an answer is of. */
const placeOf = (answer: Buffer, records: Buffer): string | undefined => {
  const decoder = new Decoder(answer);
  decoder.readInt32();
  decoder.readInt16();
  decoder.readInt32();
  const topics = decoder.readArray((each) => ({
    topic: each.readString(),
    all: each.readArray(partitionIn),
  }));
  const places = topics.flatMap(({ topic, all }) => all.map((each) => ({ topic, ...each })));
  const found = places.find((each) => holds(each.records, records));
  return found && `${found.topic}/${found.partition}`;
};

/** The messages of an answer to a fetch. Loaded here, and not imported: it keeps the functions for records that it finds. */
const response = createRequire(import.meta.url)('kafkajs/src/protocol/requests/fetch/v11/response.js') as {
  decode: (answer: Buffer) => Promise<unknown>;
};
const { decode } = response;

/** Says where a batch is that cannot be read, and what to do: the process ends with it, and so does the next one. */
response.decode = async (answer) => {
  try {
    return await decode(answer);
  } catch (error) {
    if (!(error instanceof UnreadableBatch)) throw error;
    const place = placeOf(answer, error.records) ?? 'a topic';
    throw new UnreadableBatch(
      `a batch of ${place} ${error.message}: ${whatToDo}`,
      error.records,
      error.cause,
    );
  }
};

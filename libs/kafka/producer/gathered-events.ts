import type { Gather, GatheredEvents, Outgoing } from '#libs/contracts/delivery.ts';
import { comesInBundles } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import { createBundleWriter } from '../bundle-writer.ts';
import { mostInBundle } from '../bundle.ts';
import type { EncodedRecord, ProducerRecord } from '../encode-event.ts';
import type { Append } from './append-one.ts';

interface GatherOptions {
  readonly encoderOf: <N extends EventName>(name: N) => (event: Outgoing<N>) => EncodedRecord;
  readonly append: Append;
  /** Whether events may share messages. */
  readonly bundles: boolean;
}

/** Records as they are added, and what is appended of them. */
interface Records {
  add(record: EncodedRecord): boolean;
  all(): readonly ProducerRecord[];
}

const inOneMessage = (partition: number): Records => {
  const writer = createBundleWriter(partition);
  let topic: string | undefined;
  return {
    add: (record) => {
      topic ??= record.topic;
      return writer.add(record);
    },
    all: () => (topic === undefined ? [] : [{ topic, ...writer.end() }]),
  };
};

const eachAlone = (): Records => {
  const records: EncodedRecord[] = [];
  return {
    add: (record) => records.length < mostInBundle.events && records.push(record) > 0,
    all: () => records,
  };
};

/** Encodes events as they are gathered: into one message where they may share one, and it is known on which partition. */
export const createGather =
  ({ encoderOf, append, bundles }: GatherOptions): Gather =>
  <N extends EventName>(name: N, partition: number | undefined): GatheredEvents<N> => {
    const encode = encoderOf(name);
    const mayShare = bundles && comesInBundles(name);
    const records = mayShare && partition !== undefined ? inOneMessage(partition) : eachAlone();
    return {
      add: (event) => records.add(encode(event)),
      publish: (options = {}) => append(name, records.all(), options),
    };
  };

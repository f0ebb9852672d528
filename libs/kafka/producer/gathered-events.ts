import type { Gather, GatheredEvents, Outgoing } from '#libs/contracts/delivery.ts';
import { events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import { createBundleWriter } from '../bundle-writer.ts';
import { mostInBundle } from '../bundle.ts';
import type { EncodedEvent, ProducerRecord } from '../encode-event.ts';
import type { Append } from './append-one.ts';

type Encoded = EncodedEvent & { readonly topic: string };

interface GatherOptions {
  readonly encoderOf: <N extends EventName>(name: N) => (event: Outgoing<N>) => Encoded;
  readonly append: Append;
  /** Whether events may share messages. */
  readonly bundles: boolean;
}

/** Records as they are added, and what is appended of them. */
interface Records {
  add(record: Encoded): boolean;
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
  const records: Encoded[] = [];
  return {
    add: (record) => records.length < mostInBundle.events && records.push(record) > 0,
    all: () => records,
  };
};

/** Encodes events as they are gathered: into one message where they may share one, and it is known on which partition. */
export const createGather =
  ({ encoderOf, append, bundles }: GatherOptions): Gather =>
  <N extends EventName>(name: N, partition: number | undefined): GatheredEvents<N> => {
    const mayShare = bundles && 'inBundles' in events[name];
    const records = mayShare && partition !== undefined ? inOneMessage(partition) : eachAlone();
    return {
      add: (event) => records.add(encoderOf(name)(event)),
      publish: (options = {}) => append(name, records.all(), options),
    };
  };

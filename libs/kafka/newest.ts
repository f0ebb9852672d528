import { events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import type { KafkaConnection } from './connection.ts';
import { statedName } from './envelope.ts';
import type { Fetched } from './envelope.ts';
import { Unreadable, open } from './received.ts';
import type { Received } from './received.ts';
import { reread } from './reread.ts';

/** Every record begins with its version, so that replaying need not parse what is overtaken anyway. */
const stateOfVersion = /"version":(\d+)/;
const versionWithin = 64;

/** Which events of one topic are wanted, and how far back from the newest of them, in ms. */
export interface Wanted<N extends EventName> {
  readonly kafka: KafkaConnection;
  readonly names: readonly N[];
  readonly windowMs: number;
  readonly signal?: AbortSignal;
}

interface Kept {
  readonly fetched: Fetched;
  readonly version: number;
}

const versionOf = ({ message }: Fetched): number =>
  Number(stateOfVersion.exec(message.value?.toString('latin1', 0, versionWithin) ?? '')?.[1] ?? 0);

/** A copy: the message as fetched holds on to the whole fetch. */
const copied = ({ topic, partition, message }: Fetched): Fetched => ({
  topic,
  partition,
  message: { ...message, value: message.value && Buffer.from(message.value) },
});

const opened = (fetched: Fetched): Received[] => {
  try {
    return [open(fetched)];
  } catch (error) {
    // Whoever reads the topic makes a dead letter of it.
    if (error instanceof Unreadable) return [];
    throw error;
  }
};

/** The newest event of each key on the recent log: of the highest version, or else the last. Rejects when the log cannot be read. */
export const newestPerKey = async <N extends EventName>(wanted: Wanted<N>): Promise<Received<N>[]> => {
  const { kafka, names, windowMs, signal } = wanted;
  const newest = new Map<string, Kept>();
  const isWanted: ReadonlySet<string | undefined> = new Set(names);
  const keep = (fetched: Fetched): void => {
    const key = fetched.message.key?.toString() ?? '';
    if (!isWanted.has(statedName(fetched.message))) return;
    const version = versionOf(fetched);
    if (version >= (newest.get(key)?.version ?? 0)) newest.set(key, { fetched: copied(fetched), version });
  };
  const topics = [...new Set(names.map((name) => events[name].topic))];
  const since = (newestMs: number) => newestMs - windowMs;
  await reread({ kafka, topics, since, onMessage: keep, ...(signal && { signal }) });
  return [...newest.values()].flatMap(({ fetched }) => opened(fetched)) as Received<N>[];
};

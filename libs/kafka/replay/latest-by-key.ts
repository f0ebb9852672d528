import { events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import type { KafkaConnection } from '../connection.ts';
import { eventNameOf } from '../envelope.ts';
import type { FetchedMessage } from '../envelope.ts';
import { UnreadableMessage, decodeValue } from '../decode-event.ts';
import type { ReceivedEvent } from '../decode-event.ts';
import { replayLog } from './log-replay.ts';

/** Every record begins with its version, so that replaying need not parse what is overtaken anyway. */
const statedVersion = /"version":(\d+)/;
const versionWithin = 64;

/** Which events are wanted, and how far back from the newest of them, in ms. */
export interface Wanted<N extends EventName> {
  readonly kafka: KafkaConnection;
  readonly names: readonly N[];
  readonly windowMs: number;
  readonly signal?: AbortSignal;
}

/** An event without where it stood in the log. */
export type LoggedEvent<N extends EventName> = Pick<ReceivedEvent<N>, 'name' | 'data'>;

interface Kept {
  readonly name: EventName;
  readonly version: number;
  /** A copy: a message as fetched holds on to the whole fetch. */
  readonly value: Buffer;
}

const versionOf = (value: Buffer): number =>
  Number(statedVersion.exec(value.toString('latin1', 0, versionWithin))?.[1] ?? 0);

const opened = ({ name, value }: Kept) => {
  try {
    return [{ name, data: decodeValue(name, value) }];
  } catch (error) {
    // Whoever reads the topic makes a dead letter of it.
    if (error instanceof UnreadableMessage) return [];
    throw error;
  }
};

/** The newest event of each key on the recent log: of the highest version, or else the last. Rejects when the log cannot be read. */
export const latestByKey = async <N extends EventName>(wanted: Wanted<N>): Promise<LoggedEvent<N>[]> => {
  const { kafka, names, windowMs, signal } = wanted;
  const newest = new Map<string, Kept>();
  const isWanted: ReadonlySet<string | undefined> = new Set(names);
  const keep = ({ message }: FetchedMessage): void => {
    const { key, value } = message;
    const name = eventNameOf(message) as EventName;
    if (value === null || !isWanted.has(name)) return;
    const id = key?.toString('latin1') ?? '';
    const version = versionOf(value);
    if (version >= (newest.get(id)?.version ?? 0))
      newest.set(id, { name, version, value: Buffer.from(value) });
  };
  const topics = [...new Set(names.map((name) => events[name].topic))];
  const since = (newestMs: number) => newestMs - windowMs;
  await replayLog({ kafka, topics, since, onMessage: keep, ...(signal && { signal }) });
  return [...newest.values()].flatMap(opened) as unknown as LoggedEvent<N>[];
};

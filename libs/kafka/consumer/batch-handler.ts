import type { EventName } from '#libs/contracts/events.ts';
import type { DeadLetter } from './dead-letter-queue.ts';
import type { FetchedMessage } from '../encode-event.ts';
import { decodeEvent } from '../decode-event.ts';
import type { ReceivedEvent } from '../decode-event.ts';

/** What is done with the events of one fetch, how a message is put aside, and how long to insist (`persist`). */
export interface BatchHandling<N extends EventName> {
  readonly handle: (batch: readonly ReceivedEvent<N>[]) => Promise<void>;
  readonly bury: DeadLetter;
  readonly insist: (work: () => Promise<void>) => Promise<boolean>;
}

interface Readable<N extends EventName> {
  readonly fetched: FetchedMessage;
  readonly event: ReceivedEvent<N>;
}

const read = <N extends EventName>(
  fetched: FetchedMessage,
): Readable<N> | { fetched: FetchedMessage; error: unknown } => {
  try {
    return { fetched, event: decodeEvent(fetched) as ReceivedEvent<N> };
  } catch (error) {
    return { fetched, error };
  }
};

/** The readable ones; the others are put aside. Undefined: given up. */
const openAll = async <N extends EventName>(
  all: readonly FetchedMessage[],
  { bury, insist }: BatchHandling<N>,
): Promise<Readable<N>[] | undefined> => {
  const readable: Readable<N>[] = [];
  for (const each of all.map(read<N>)) {
    if ('event' in each) readable.push(each);
    else if (!(await insist(() => bury(each.fetched, each.error)))) return undefined;
  }
  return readable;
};

/** All at once; when that fails for good one by one, so that the guilty one is found and put aside. False: given up. */
const handleAll = async <N extends EventName>(
  all: readonly Readable<N>[],
  work: BatchHandling<N>,
): Promise<boolean> => {
  const [first] = all;
  if (first === undefined) return true;
  try {
    return await work.insist(() => work.handle(all.map(({ event }) => event)));
  } catch (error) {
    if (all.length === 1) return work.insist(() => work.bury(first.fetched, error));
  }
  for (const one of all) if (!(await handleAll([one], work))) return false;
  return true;
};

/** Does the work of one fetch to its end. Resolves to false when it was given up: all of it comes again. */
export const handleBatch = async <N extends EventName>(
  all: readonly FetchedMessage[],
  work: BatchHandling<N>,
): Promise<boolean> => {
  const readable = await openAll(all, work);
  return readable !== undefined && handleAll(readable, work);
};

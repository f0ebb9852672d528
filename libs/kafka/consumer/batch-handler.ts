import type { EventName } from '#libs/contracts/events.ts';
import { decodeEvent } from '../decode-event.ts';
import type { ReceivedEvent } from '#libs/contracts/delivery.ts';
import type { FetchedMessage } from '../fetched-message.ts';
import type { DeadLetterQueue } from './dead-letter-queue.ts';

/** The handler of a batch, and how its work is retried (`retryUntilDone`): false means cancelled. */
export interface BatchHandling<N extends EventName> {
  readonly handle: (batch: readonly ReceivedEvent<N>[]) => Promise<void>;
  readonly deadLetterQueue: DeadLetterQueue;
  readonly retry: (work: () => Promise<void>) => Promise<boolean>;
}

interface Decoded<N extends EventName> {
  readonly fetched: FetchedMessage;
  readonly event: ReceivedEvent<N>;
}

const decode = <N extends EventName>(
  fetched: FetchedMessage,
): Decoded<N> | { fetched: FetchedMessage; error: unknown } => {
  try {
    return { fetched, event: decodeEvent(fetched) as ReceivedEvent<N> };
  } catch (error) {
    return { fetched, error };
  }
};

/** The messages that can be decoded; the others become dead letters. Undefined when cancelled. */
const decodeAll = async <N extends EventName>(
  messages: readonly FetchedMessage[],
  { deadLetterQueue, retry }: BatchHandling<N>,
): Promise<Decoded<N>[] | undefined> => {
  const found: Decoded<N>[] = [];
  for (const each of messages.map(decode<N>)) {
    if ('event' in each) found.push(each);
    else if (!(await retry(() => deadLetterQueue(each.fetched, each.error)))) return undefined;
  }
  return found;
};

/** Handles all together; when that fails for good one by one, so that only those that fail become dead letters. False when cancelled. */
const handleAll = async <N extends EventName>(
  all: readonly Decoded<N>[],
  handling: BatchHandling<N>,
): Promise<boolean> => {
  const { handle, deadLetterQueue, retry } = handling;
  const [first] = all;
  if (first === undefined) return true;
  try {
    return await retry(() => handle(all.map(({ event }) => event)));
  } catch (error) {
    if (all.length === 1) return retry(() => deadLetterQueue(first.fetched, error));
  }
  for (const one of all) if (!(await handleAll([one], handling))) return false;
  return true;
};

/** Handles the messages of one fetch. Resolves to false when it was cancelled: then all of them are redelivered. */
export const handleBatch = async <N extends EventName>(
  messages: readonly FetchedMessage[],
  handling: BatchHandling<N>,
): Promise<boolean> => {
  const decoded = await decodeAll(messages, handling);
  return decoded !== undefined && handleAll(decoded, handling);
};

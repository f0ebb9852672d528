import type { Log } from '#libs/runtime/log.ts';
import type { FetchedMessage } from '../fetched-message.ts';
import { createAgeMeter } from './age-meter.ts';
import type { AgeMeterOptions } from './age-meter.ts';
import type { DeadLetterQueue } from './dead-letter-queue.ts';
import type { HandleEvents } from './event-handler.ts';
import { createInHand } from './in-hand.ts';
import { retryUntilDone } from './retry-until-done.ts';
import type { Watermarks } from './watermarks.ts';

/** Who handles the parts, what notes how far they are, and what ends it. */
export interface MessagePartsOptions extends AgeMeterOptions {
  readonly group: string;
  readonly handle: HandleEvents;
  /** Takes what `handle` throws at. */
  readonly deadLetterQueue: DeadLetterQueue;
  readonly watermarks: Watermarks;
  /** Once aborted no handler starts. */
  readonly stopped: AbortSignal;
  readonly log: Log;
}

/** Handles one part of a message: one event, or several together. Never rejects. `endTurn`: what is left of it needs no turn. */
type HandlePart = (events: readonly FetchedMessage[], endTurn: () => void) => Promise<void>;

const logStuck = (
  { topic, partition, message: { offset } }: FetchedMessage,
  error: unknown,
  log: Log,
): void =>
  log.error(
    { error, topic, partition, offset },
    'a message was neither handled nor set aside as a dead letter; it stays uncommitted',
  );

/**
 * Messages whose parts are handled apart. What is noted of a message is noted once, because it may carry hundreds of events: its age when the
 * last of its parts begins, so that none began older, and that it is done when all of them are. One part that is cancelled leaves it undone, so
 * that all are redelivered.
 */
export const createMessageParts = (options: MessagePartsOptions) => {
  const { handle, deadLetterQueue, watermarks, stopped, log } = options;
  const inHand = createInHand(options);
  const noteAge = createAgeMeter(options);
  const setAside = (
    fetched: FetchedMessage,
    error: unknown,
    isCancelled: () => boolean,
  ): Promise<boolean> => {
    const onRetry = (failure: unknown, attempt: number) =>
      log.warn({ error: failure, attempt: attempt + 1 }, 'a dead letter is tried again');
    const work = () => deadLetterQueue(fetched, error);
    return retryUntilDone({ work, isCancelled, onRetry, stopping: stopped });
  };
  /** Begins a message of so many parts; each is to be handled once. */
  return (fetched: FetchedMessage, parts: number): HandlePart => {
    const inFlight = watermarks.begin(fetched, parts);
    const isCancelled = (): boolean => inFlight.revoked || stopped.aborted;
    let waiting = parts;
    /** One event alone is one letter; of several, some of which may be done, nobody knows which failed. */
    const handleOrSetAside = (events: readonly FetchedMessage[], endTurn: () => void): Promise<boolean> =>
      handle(events, { isCancelled, endTurn }).catch((error: unknown) => {
        const [first = fetched, ...others] = events;
        return setAside(others.length === 0 ? first : fetched, error, isCancelled);
      });
    return async (events, endTurn) => {
      const putDown = inHand.take();
      try {
        waiting -= 1;
        if (waiting === 0 && !isCancelled()) noteAge(fetched);
        if (await handleOrSetAside(events, endTurn)) inFlight.partDone();
      } catch (error) {
        logStuck(fetched, error, log);
      } finally {
        putDown();
      }
    };
  };
};

import { Refusal } from '#libs/contracts/errors.ts';
import { plays } from '../core/session.ts';
import type { PendingEvent, Ports } from '../ports.ts';

/** How many entries of each shard one run takes. */
const batchSize = 20;

/** Publishes what heartbeats and ends could not publish while the log was down, as each session's newest state (D-23). Resolves to how many there were. */
export const publishPending =
  ({ pending, sessions, publish }: Pick<Ports, 'pending' | 'sessions' | 'publish'>) =>
  async (): Promise<number> => {
    const events = await pending.oldest(batchSize);
    const publishOne = async (event: PendingEvent): Promise<void> => {
      const { record: session } = await sessions.read(event.gameSessionId);
      if (session && plays(session)) await publish('game-session.heartbeat', { session });
      if (session?.state === 'ending') await publish('game-session.ending', { session });
      await pending.remove(event);
    };
    const publishOrPostpone = async (event: PendingEvent): Promise<void> => {
      try {
        await publishOne(event);
      } catch (error) {
        // One that cannot be read goes behind the others, whose turn would never come; an outage keeps the order.
        if (!(error instanceof Refusal)) await pending.add(event.gameSessionId);
        throw error;
      }
    };
    await Promise.all(events.map(publishOrPostpone));
    return events.length;
  };

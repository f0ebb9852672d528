import type { Settled } from './record-play.ts';

/** What the log gives of one partition at a time: events that can be read, and how many cannot. */
export interface ReplayPorts {
  /** Reads a topic to the end that it had at the start; resolves to how many messages could not be read. */
  readonly read: (
    topic: 'game-sessions.v1' | 'billing.v1',
    take: (events: Settled[]) => Promise<void>,
  ) => Promise<number>;
  /** The consumer's own use case, over another ledger. */
  readonly record: (batch: readonly Settled[]) => Promise<void>;
  readonly progress: (text: string) => void;
}

/** Writes down once more what the log says, by the same path as the consumer does (I7). */
export const replayEvents = async ({
  read,
  record,
  progress,
}: ReplayPorts): Promise<{ unreadable: number }> => {
  let unreadable = 0;
  for (const topic of ['game-sessions.v1', 'billing.v1'] as const) {
    let count = 0;
    unreadable += await read(topic, async (events) => {
      if (events.length > 0) await record(events);
      count += events.length;
    });
    progress(`${topic}: ${count} events written once more`);
  }
  return { unreadable };
};

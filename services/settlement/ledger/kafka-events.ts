import { isWanted, tryDecodeEvent } from '#libs/kafka/decode-event.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { offsetRangesSince, readLog } from '#libs/kafka/replay/offset-ranges.ts';
import type { LedgerEvent, ReadEvents } from './ports.ts';

const topics = ['game-sessions.v1', 'billing.v1'] as const;
const wanted: ReadonlySet<string> = new Set<LedgerEvent['name']>(['game-session.ending', 'billing.stopped']);

/** Reads the ledger's events out of Kafka, one topic after the other; `progress` is told how many events each topic had. */
export const kafkaEvents =
  (kafka: KafkaConnection, progress: (text: string) => void): ReadEvents =>
  async (sinceMs, handle) => {
    const ranges = await Promise.all(topics.map((topic) => offsetRangesSince(kafka, topic, sinceMs)));
    if (!ranges.flat().every(({ isWhole }) => isWhole)) return undefined;
    let unreadable = 0;
    for (const [at, topic] of topics.entries()) {
      let count = 0;
      await readLog(kafka, ranges[at] ?? [], async (messages) => {
        const decoded = messages.filter((each) => isWanted(wanted, each)).map(tryDecodeEvent);
        const events = decoded.filter((each) => each !== undefined) as LedgerEvent[];
        await handle(events);
        count += events.length;
        unreadable += decoded.length - events.length;
      });
      progress(`${topic}: ${count} events written once more`);
    }
    return unreadable;
  };

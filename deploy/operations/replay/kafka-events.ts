import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { isWanted, tryDecodeEvent } from '#libs/kafka/decode-event.ts';
import { withLogReader } from '#libs/kafka/replay/log-reader.ts';
import type { LedgerEvent } from '../../../services/settlement/ledger/ports.ts';
import type { ReadEvents } from './ports.ts';

const topics = ['game-sessions.v1', 'billing.v1'] as const;
const wanted: ReadonlySet<string> = new Set<LedgerEvent['name']>(['game-session.ending', 'billing.stopped']);

/** Reads the ledger's events out of Kafka, one topic after the other; `progress` is told how many events each topic had. */
export const kafkaEvents =
  (kafka: KafkaConnection, progress: (text: string) => void): ReadEvents =>
  (sinceMs, handle) =>
    withLogReader({ kafka, topics }, async (log) => {
      const ranges = await log.rangesSince(sinceMs);
      if (!ranges.every(({ isComplete }) => isComplete)) return undefined;
      let unreadable = 0;
      for (const topic of topics) {
        const ofTopic = ranges.filter((range) => range.topic === kafka.onCluster(topic));
        let count = 0;
        await log.read(ofTopic, async (messages) => {
          const decoded = messages.filter((each) => isWanted(wanted, each)).map(tryDecodeEvent);
          const events = decoded.filter((each) => each !== undefined) as LedgerEvent[];
          await handle(events);
          count += events.length;
          unreadable += decoded.length - events.length;
        });
        progress(`${topic}: ${count} events written once more`);
      }
      return unreadable;
    });

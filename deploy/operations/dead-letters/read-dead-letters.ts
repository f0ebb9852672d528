import type { EventData } from '#libs/contracts/events.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { withLogReader } from '#libs/kafka/replay/log-reader.ts';
import { tryDecodeEvent } from '#libs/kafka/decode-event.ts';
import { textHeaders } from '#libs/kafka/fetched-message.ts';
import type { FetchedMessage } from '#libs/kafka/fetched-message.ts';

/** The header of a dead letter that was published again: when it was first recorded, in ms since the epoch. */
export const recordedAtHeader = 'gsb_recorded_at';

/** A dead letter: its offset on dead-letters.v1, when it was recorded (ms since the epoch), its content, and its own key and headers. */
export interface StoredDeadLetter {
  readonly id: string;
  readonly partition: number;
  readonly atMs: number;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly letter: EventData<'dead-letter.recorded'>;
}

/** Which dead letters; nothing set means all. */
export interface Selection {
  readonly id?: string | undefined;
  readonly topic?: string | undefined;
  readonly group?: string | undefined;
}

const storedLetter = (
  { partition, message }: FetchedMessage,
  letter: StoredDeadLetter['letter'],
): StoredDeadLetter => {
  const headers = textHeaders(message.headers);
  const atMs = Number(headers[recordedAtHeader] ?? message.timestamp);
  return { id: message.offset, partition, atMs, key: message.key?.toString() ?? null, headers, letter };
};

/** All dead letters that the topic holds now, the oldest first, and how many of its messages cannot be read as one. */
export const readDeadLetters = async (kafka: KafkaConnection) => {
  const letters: StoredDeadLetter[] = [];
  let unreadable = 0;
  await withLogReader({ kafka, topics: ['dead-letters.v1'] }, async (log) =>
    log.read(await log.rangesSince(0), (messages) => {
      for (const fetched of messages) {
        const opened = tryDecodeEvent(fetched);
        if (opened?.name === 'dead-letter.recorded') letters.push(storedLetter(fetched, opened.data));
        else unreadable += 1;
      }
    }),
  );
  return { letters, unreadable };
};

/** The dead letters that match. */
export const selected = (
  letters: readonly StoredDeadLetter[],
  { id, topic, group }: Selection,
): StoredDeadLetter[] =>
  letters.filter(
    (each) =>
      (id === undefined || each.id === id) &&
      (topic === undefined || each.letter.topic === topic) &&
      (group === undefined || each.letter.group === group),
  );

/** How many share a topic, group and reason, with the first and last of them; the largest group first. */
export const summary = (letters: readonly StoredDeadLetter[]) =>
  [...Map.groupBy(letters, ({ letter }) => [letter.topic, letter.group, letter.reason].join('\n')).values()]
    .map((same) => ({ first: same[0], last: same.at(-1), count: same.length }))
    .sort((a, b) => b.count - a.count);

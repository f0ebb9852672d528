import { isDeepStrictEqual } from 'node:util';
import { topics } from '#libs/contracts/topics.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { unbundled } from '#libs/kafka/bundle.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { headersIn, lackingIn, maxValueBytes, valueIn } from '#libs/kafka/consumer/dead-letter.ts';
import { textHeaders } from '#libs/kafka/fetched-message.ts';
import type { FetchedMessage } from '#libs/kafka/fetched-message.ts';
import { placeName, readPlaces } from '#libs/kafka/replay/read-places.ts';
import type { LogPlace } from '#libs/kafka/replay/read-places.ts';
import type { StoredMessage } from '#libs/kafka/replay/republish.ts';
import type { StoredDeadLetter } from './read-dead-letters.ts';

type DeadLetter = EventData<'dead-letter.recorded'>;
/** What a dead letter leads to: the message to publish, or why there is none. */
type Original = StoredMessage | { readonly refused: string };

/** Topics whose messages may become dead letters. */
const isOurs = (kafka: KafkaConnection, topic: string): boolean =>
  Object.keys(topics).some((name) => name !== 'dead-letters.v1' && kafka.onCluster(name) === topic);

/** Why a letter cannot be replayed, whatever the log has. */
const flawOf = (kafka: KafkaConnection, letter: DeadLetter): string | undefined => {
  if (!isOurs(kafka, letter.topic)) return `${letter.topic} is no topic of this product`;
  const lacking = lackingIn(letter);
  if (lacking !== undefined) return `it lacks ${lacking}, so the original is not here`;
  const { length } = valueIn(letter);
  if (length === 0) return 'its value is empty, or was erased';
  return length >= maxValueBytes
    ? 'the value was too large to keep whole, so the original is not here'
    : undefined;
};

/** An offset is a text in a letter, and may be any. */
const placeOf = ({ topic, partition, offset }: DeadLetter): LogPlace => ({
  ...{ topic, partition },
  offset: /^\d+$/.test(offset) ? Number(offset) : NaN,
});

/** Whether a letter tells of this very message. */
const tellsOf = (letter: DeadLetter, { message: { key, value, headers } }: FetchedMessage): boolean =>
  (key?.toString() ?? null) === letter.key &&
  value?.toString('base64') === letter.valueBase64 &&
  isDeepStrictEqual(textHeaders(headers), headersIn(letter));

/** A copy: a fetched message keeps the whole fetch in memory. */
const storedOf = ({ topic, partition, message: { key, value, headers } }: FetchedMessage): StoredMessage => ({
  ...{ topic, partition, headers: textHeaders(headers) },
  key: key && Buffer.from(key),
  value: Buffer.from(value ?? ''),
});

/** The messages that letters tell of, as the log has them; undefined where it has another one there. No letter stands for a place that is not in the log. */
const readProofs = async (kafka: KafkaConnection, letters: readonly StoredDeadLetter[]) => {
  const proofs = new Map<StoredDeadLetter, StoredMessage | undefined>();
  const byPlace = Map.groupBy(letters, ({ letter }) => placeName(placeOf(letter)));
  await readPlaces(
    kafka,
    letters.map(({ letter }) => placeOf(letter)),
    (fetched) => {
      const events = [fetched, ...unbundled(fetched)];
      const place = placeName({ ...fetched, offset: Number(fetched.message.offset) });
      for (const each of byPlace.get(place) ?? []) {
        const original = events.find((event) => tellsOf(each.letter, event));
        proofs.set(each, original && storedOf(original));
      }
    },
  );
  return proofs;
};

/** What a letter says of its message itself. */
const ownWord = (letter: DeadLetter): StoredMessage => {
  const { topic, partition, key } = letter;
  return { topic, partition, key, value: valueIn(letter), headers: headersIn(letter) };
};

/** Of each letter its original as the log has it, or why it is not replayed. A letter that the log does not prove is its writer's word, and counts for `unproven` alone (D-70). */
export const originalsOf = async (
  kafka: KafkaConnection,
  letters: readonly StoredDeadLetter[],
  { unproven }: { readonly unproven: boolean },
): Promise<Original[]> => {
  const flaws = new Map(letters.map((each) => [each, flawOf(kafka, each.letter)]));
  const proofs = await readProofs(
    kafka,
    letters.filter((each) => flaws.get(each) === undefined),
  );
  return letters.map((each): Original => {
    const { id, letter } = each;
    const { topic, partition, offset } = letter;
    const flaw = flaws.get(each);
    if (flaw !== undefined) return { refused: `#${id}: ${flaw}` };
    const original = proofs.get(each) ?? (unproven ? ownWord(letter) : undefined);
    if (original) return { ...original, headers: { ...original.headers, gsb_replay_of: id } };
    const has = proofs.has(each) ? 'another message at' : 'nothing at';
    return { refused: `#${id}: unproven: the log has ${has} ${topic}/${partition}@${offset}` };
  });
};

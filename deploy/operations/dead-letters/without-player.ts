import type { EventData } from '#libs/contracts/events.ts';
import { headersIn, valueIn } from '#libs/kafka/consumer/dead-letter.ts';
import { tryDecodeEvent } from '#libs/kafka/decode-event.ts';

type DeadLetter = EventData<'dead-letter.recorded'>;

/** What stands for a player who was erased. */
const erased = 'erased';

/** The field that holds a player in every contract. What else equals a player's id there is no player: a state, a game, a cafe. */
const playerField = 'provider_user_id';

/** Whether the message is as its contract has it. */
const keepsContract = (letter: DeadLetter): boolean => {
  const { topic, partition, offset } = letter;
  const kept = { value: valueIn(letter), headers: headersIn(letter) };
  const message = { key: null, offset, timestamp: '0', attributes: 0, ...kept };
  return tryDecodeEvent({ topic, partition, message }) !== undefined;
};

/** A value of JSON without the player, who stands in the one field, or, where `isIn` says so of every field, anywhere. */
const replaced = (value: unknown, user: string, isIn: (field: string) => boolean, field = ''): unknown => {
  if (value === user && isIn(field)) return erased;
  if (Array.isArray(value)) return value.map((each) => replaced(each, user, isIn, field));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(
    ([name, each]) => [name, replaced(each, user, isIn, name)] as const,
  );
  return Object.fromEntries(fields);
};

/** A text of JSON without the player; a text that cannot be read and names the player is emptied. */
const textWithout = (text: string, user: string, isIn: (field: string) => boolean): string => {
  try {
    const value: unknown = JSON.parse(text);
    const without = replaced(value, user, isIn);
    return JSON.stringify(without) === JSON.stringify(value) ? text : JSON.stringify(without);
  } catch {
    const escaped = JSON.stringify(user).slice(1, -1);
    return text.includes(user) || text.includes(escaped) ? '' : text;
  }
};

/** A dead letter that does not name the player any more, but may still be replayed, as unproven; undefined when it never did (D-43, D-70). */
export const withoutPlayer = (letter: DeadLetter, user: string): DeadLetter | undefined => {
  const text = valueIn(letter).toString('utf8');
  // Who broke the contract may have the player anywhere.
  const isIn = keepsContract(letter) ? (field: string) => field === playerField : () => true;
  const without = textWithout(text, user, isIn);
  if (without === text) return undefined;
  return { ...letter, valueBase64: Buffer.from(without).toString('base64') };
};

import type { EventData } from '#libs/contracts/events.ts';

type DeadLetter = EventData<'dead-letter.recorded'>;

/** What stands for a player who was erased. */
const erased = 'erased';

/** The field that holds a player in every contract. What else equals a player's id is no player: a state, a game, a cafe. */
const playerField = 'provider_user_id';

const replaced = (value: unknown, user: string): unknown => {
  if (Array.isArray(value)) return value.map((each) => replaced(each, user));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, each]): [string, unknown] => [
    name,
    name === playerField && each === user ? erased : replaced(each, user),
  ]);
  return Object.fromEntries(fields);
};

/** A text of JSON without the player; a text that cannot be read and names the player is emptied. */
const textWithout = (text: string, user: string): string => {
  try {
    const value: unknown = JSON.parse(text);
    const without = replaced(value, user);
    return JSON.stringify(without) === JSON.stringify(value) ? text : JSON.stringify(without);
  } catch {
    const escaped = JSON.stringify(user).slice(1, -1);
    return text.includes(user) || text.includes(escaped) ? '' : text;
  }
};

/** A dead letter that does not name the player any more, but may still be replayed, as unproven; undefined when it never did (D-43, D-70). */
export const withoutPlayer = (letter: DeadLetter, user: string): DeadLetter | undefined => {
  const text = Buffer.from(letter.valueBase64, 'base64').toString('utf8');
  const without = textWithout(text, user);
  if (without === text) return undefined;
  return { ...letter, valueBase64: Buffer.from(without).toString('base64') };
};

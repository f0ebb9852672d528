import type { EventData } from '#libs/contracts/events.ts';
import { textHeaders } from '../fetched-message.ts';
import type { FetchedMessage } from '../fetched-message.ts';

type DeadLetter = EventData<'dead-letter.recorded'>;

const maxReasonLength = 2_000;
/** How much of a value a dead letter keeps, in bytes; a kept value of this length was cut. */
export const maxValueBytes = 393_216;
const maxKeyBytes = 4_096;
/** Of all headers together, as they are written: JSON makes six bytes of a control character. */
const maxHeaderBytes = 65_536;

/** Begins the last line of the reason of a letter that lacks some of its message. */
const lacks = 'this letter lacks ';

const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

const reasonWith = (error: unknown, lacking: readonly string[]): string => {
  const note = lacking.length === 0 ? '' : `\n${lacks}${lacking.join(' and ')}`;
  return reasonOf(error).slice(0, maxReasonLength - note.length) + note;
};

/** The headers that fit, in their order. */
const keptHeaders = (all: DeadLetter['headers']): DeadLetter['headers'] => {
  let left = maxHeaderBytes;
  return all.filter((header) => {
    const bytes = Buffer.byteLength(JSON.stringify(header));
    if (bytes > left) return false;
    left -= bytes;
    return true;
  });
};

const placeOf = ({ topic, partition, message: { offset } }: FetchedMessage, group: string) => ({
  topic,
  partition,
  offset,
  group,
});

/** A message as a dead letter of a group: whole where it is of a usual size, and never larger than one event may be. */
export const letterOf = (fetched: FetchedMessage, group: string, error: unknown): DeadLetter => {
  const { key, value, headers } = fetched.message;
  const all = Object.entries(textHeaders(headers)).map(([name, text]) => ({ name, value: text }));
  const kept = keptHeaders(all);
  const lacking = [
    ...(key !== null && key.length > maxKeyBytes ? ['the end of its key'] : []),
    ...(kept.length < all.length ? [`${all.length - kept.length} of its headers`] : []),
  ];
  return {
    ...placeOf(fetched, group),
    key: key?.subarray(0, maxKeyBytes).toString() ?? null,
    valueBase64: value?.subarray(0, maxValueBytes).toString('base64') ?? '',
    headers: kept,
    reason: reasonWith(error, lacking),
  };
};

/** No more than where a message is, and why it is dead: that always fits. */
export const bareLetterOf = (fetched: FetchedMessage, group: string, error: unknown): DeadLetter => ({
  ...placeOf(fetched, group),
  ...{ key: null, valueBase64: '', headers: [] },
  reason: reasonWith(error, ['its key, its value and its headers']),
});

/** What a letter lacks of its message beside the end of a value, in words; undefined where that is nothing. */
export const lackingIn = ({ reason }: Pick<DeadLetter, 'reason'>): string | undefined => {
  const last = reason.slice(reason.lastIndexOf('\n') + 1);
  return last !== reason && last.startsWith(lacks) ? last.slice(lacks.length) : undefined;
};

/** The value that a letter has kept of its message. */
export const valueIn = ({ valueBase64 }: Pick<DeadLetter, 'valueBase64'>): Buffer =>
  Buffer.from(valueBase64, 'base64');

/** The headers that a letter has kept of its message. */
export const headersIn = ({ headers }: Pick<DeadLetter, 'headers'>): Record<string, string> =>
  Object.fromEntries(headers.map(({ name, value }) => [name, value]));

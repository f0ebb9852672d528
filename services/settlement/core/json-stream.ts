const head = /^\s*\{\s*"billings"\s*:\s*\[/;
const maxHeadLength = 256;
const maxObjectLength = 65_536;
/** How many possible beginnings of an object are tried from the end of the text backwards; nested objects make more than one. */
const maxTries = 64;

const commaBefore = /\}\s*,\s*$/;
const maxCommaDistance = 64;

/** The last position before `end` where an object may begin that follows another one; -1 where there is none. */
const lastObjectStart = (text: string, end: number): number => {
  let at = text.lastIndexOf('{', end);
  while (at > 0 && !commaBefore.test(text.slice(Math.max(0, at - maxCommaDistance), at)))
    at = text.lastIndexOf('{', at - 1);
  return at > 0 ? at : -1;
};

const parsed = (text: string): unknown[] | undefined => {
  try {
    return JSON.parse(`[${text}]`) as unknown[];
  } catch {
    return undefined;
  }
};

/** The complete objects at the beginning of a text, and the rest. Text cut within an object does not parse: a bracket is open. */
const splitComplete = (text: string): { objects: unknown[]; rest: string } => {
  let at = text.length;
  for (let tries = 0; tries < maxTries && at > 0; tries += 1) {
    at = lastObjectStart(text, at - 1);
    const objects = at < 0 ? undefined : parsed(text.slice(0, text.lastIndexOf(',', at)));
    if (objects) return { objects, rest: text.slice(at) };
  }
  return { objects: [], rest: text };
};

/** The objects that remain when the body has ended; the end of the list and whatever follows it must be JSON. */
const lastObjects = (rest: string): unknown[] => {
  try {
    return (JSON.parse(`{"billings":[${rest}`) as { billings: unknown[] }).billings;
  } catch (error) {
    throw new Error('the body ends before its end, or is no JSON', { cause: error });
  }
};

/** The text after the head of the list; undefined while the head is not complete. */
const afterHead = (text: string): string | undefined => {
  if (head.test(text)) return text.replace(head, '');
  if (text.length >= maxHeadLength) throw new Error('the body does not begin with a list of billings');
  return undefined;
};

/** The objects of a body `{"billings": […]}`, as its pieces arrive: only an incomplete object is kept. Throws for other JSON, or a body cut off. */
export async function* parseJsonStream(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown[]> {
  const decoder = new TextDecoder();
  let before = '';
  let kept: string | undefined;
  for await (const piece of body) {
    const text = decoder.decode(piece, { stream: true });
    if (kept === undefined) kept = afterHead((before += text));
    else kept += text;
    if (kept === undefined) continue;
    const { objects, rest } = splitComplete(kept);
    kept = rest;
    if (kept.length > maxObjectLength) throw new Error('a billing is too long, or no JSON');
    if (objects.length > 0) yield objects;
  }
  if (kept === undefined) throw new Error('the body does not begin with a list of billings');
  const last = lastObjects(kept + decoder.decode());
  if (last.length > 0) yield last;
}

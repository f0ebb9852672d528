const head = /^\s*\{\s*"billings"\s*:\s*\[/;
const longestHead = 256;
const longestObject = 65_536;
/** Places where a list may be cut that are tried, from the last on; objects within objects make more than one. */
const mostTries = 64;

/** The text is not an object whose first member is the list that was asked for, or ends before its end. */
export class NotAList extends Error {
  override readonly name = 'NotAList';
}

const commaBefore = /\}\s*,\s*$/;
const farthestComma = 64;

/** The last place before `end` where an object may begin that follows another one; -1 where there is none. */
const lastBegin = (text: string, end: number): number => {
  let at = text.lastIndexOf('{', end);
  while (at > 0 && !commaBefore.test(text.slice(Math.max(0, at - farthestComma), at)))
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

/** The objects that a text begins with, and the rest. A cut within an object leaves brackets open, so that what parses was cut between two. */
const cut = (text: string): { objects: unknown[]; rest: string } => {
  let at = text.length;
  for (let tries = 0; tries < mostTries && at > 0; tries += 1) {
    at = lastBegin(text, at - 1);
    const objects = at < 0 ? undefined : parsed(text.slice(0, text.lastIndexOf(',', at)));
    if (objects) return { objects, rest: text.slice(at) };
  }
  return { objects: [], rest: text };
};

/** What is left when the body has ended: the last objects, the end of the list and whatever follows it. */
const lastObjects = (rest: string): unknown[] => {
  try {
    return (JSON.parse(`{"billings":[${rest}`) as { billings: unknown[] }).billings;
  } catch (error) {
    throw new NotAList('the body ends before its end, or is no JSON', { cause: error });
  }
};

/** The text behind the head of the list; undefined while there may be more of the head to come. */
const behindHead = (text: string): string | undefined => {
  if (head.test(text)) return text.replace(head, '');
  if (text.length >= longestHead) throw new NotAList('the body does not begin with a list of billings');
  return undefined;
};

/** The objects of `{"billings": […]}`, those of each piece of a body together, however long it is: only an unfinished one is kept. Throws NotAList. */
export async function* parseJsonStream(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown[]> {
  const decoder = new TextDecoder();
  let before = '';
  let kept: string | undefined;
  for await (const piece of body) {
    const text = decoder.decode(piece, { stream: true });
    if (kept === undefined) kept = behindHead((before += text));
    else kept += text;
    if (kept === undefined) continue;
    const { objects, rest } = cut(kept);
    kept = rest;
    if (kept.length > longestObject) throw new NotAList('a billing is too long, or no JSON');
    if (objects.length > 0) yield objects;
  }
  if (kept === undefined) throw new NotAList('the body does not begin with a list of billings');
  const last = lastObjects(kept + decoder.decode());
  if (last.length > 0) yield last;
}

const head = /^\s*\{\s*"billings"\s*:\s*\[/;
const maxHeadLength = 256;
const maxObjectLength = 65_536;

const [quote, backslash] = ['"'.charCodeAt(0), '\\'.charCodeAt(0)];
const [openBrace, openBracket] = ['{'.charCodeAt(0), '['.charCodeAt(0)];
const [closeBrace, closeBracket] = ['}'.charCodeAt(0), ']'.charCodeAt(0)];

/**
 * Looks at every character once, piece by piece: `scan` gives the position behind the last object of the list that is complete in the piece, 0
 * if there is none.
 */
const createScanner = () => {
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  const inText = (code: number): void => {
    if (isEscaped) isEscaped = false;
    else if (code === backslash) isEscaped = true;
    else if (code === quote) inString = false;
  };
  const outside = (code: number): boolean => {
    if (code === quote) inString = true;
    else if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) depth -= 1;
    return code === closeBrace && depth === 0;
  };
  return {
    scan: (piece: string): number => {
      let end = 0;
      // Whatever follows the end of the list belongs to none of its objects.
      for (let at = 0; at < piece.length && depth >= 0; at += 1) {
        if (inString) inText(piece.charCodeAt(at));
        else if (outside(piece.charCodeAt(at))) end = at + 1;
      }
      return end;
    },
  };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error('the body ends before its end, or is no JSON', { cause: error });
  }
};

/** Collects the pieces of a list's objects: `add` gives those that are complete now, and keeps the rest. */
const createSplitter = () => {
  const { scan } = createScanner();
  let rest: string[] = [];
  let restLength = 0;
  let isFirst = true;
  const take = (complete: string): unknown[] => {
    const text = rest.join('') + complete;
    [rest, restLength] = [[], 0];
    const list = parsed(isFirst ? `[${text}]` : `[0${text}]`) as unknown[];
    if (!isFirst) list.shift();
    isFirst = false;
    return list;
  };
  return {
    add: (piece: string): unknown[] => {
      const end = scan(piece);
      const objects = end > 0 ? take(piece.slice(0, end)) : [];
      rest.push(piece.slice(end));
      restLength += piece.length - end;
      if (restLength > maxObjectLength) throw new Error('a billing is too long, or no JSON');
      return objects;
    },
    /** What the list ends with, which with all that follows it must be JSON. */
    end: (): unknown[] => {
      const text = rest.join('');
      const { billings } = parsed(`{"billings":[${text}`) as { billings: unknown[] };
      if (!isFirst && billings.length > 0) throw new Error('there is no comma before the last billing');
      return billings;
    },
  };
};

/** The text after the head of the list; undefined while the head is not complete. */
const afterHead = (text: string): string | undefined => {
  if (head.test(text)) return text.replace(head, '');
  if (text.length >= maxHeadLength) throw new Error('the body does not begin with a list of billings');
  return undefined;
};

/**
 * The objects of a body `{"billings": […]}`, as its pieces arrive, in time that grows with their length alone; only an incomplete object is
 * kept. Throws for other JSON, an object of more than 64 KiB, or a body cut off.
 */
export async function* parseJsonStream(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown[]> {
  const decoder = new TextDecoder();
  const { add, end } = createSplitter();
  let before: string | undefined = '';
  for await (const piece of body) {
    const text = decoder.decode(piece, { stream: true });
    const found: string | undefined = before === undefined ? text : afterHead((before += text));
    if (found === undefined) continue;
    before = undefined;
    const objects = add(found);
    if (objects.length > 0) yield objects;
  }
  if (before !== undefined) throw new Error('the body does not begin with a list of billings');
  add(decoder.decode());
  const last = end();
  if (last.length > 0) yield last;
}

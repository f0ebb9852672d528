const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = Buffer.from('"\\{}[]');
const head = /^\s*\{\s*"billings"\s*:\s*\[/;
const longestHead = 256;
const longestObject = 65_536;

/** The text is not an object whose first member is the list that was asked for, or ends before its end. */
export class NotAList extends Error {
  override readonly name = 'NotAList';
}

interface Place {
  depth: number;
  inText: boolean;
  escaped: boolean;
}

/** Moves over one byte; true when it ends an object of the list. */
const step = (place: Place, byte: number): boolean => {
  if (place.inText) {
    if (place.escaped) place.escaped = false;
    else if (byte === backslash) place.escaped = true;
    else if (byte === quote) place.inText = false;
    return false;
  }
  if (byte === quote) place.inText = true;
  else if (byte === openBrace || byte === openBracket) place.depth += 1;
  else if (byte === closeBrace || byte === closeBracket) {
    place.depth -= 1;
    return byte === closeBrace && place.depth === 2;
  }
  return false;
};

/** Where the objects of the list begin and end in a piece of text. */
const cut = (bytes: Buffer, from: number, place: Place): { texts: string[]; rest: number } => {
  const texts: string[] = [];
  let rest = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (place.depth === 2 && byte === openBrace) rest = at;
    if (step(place, byte)) texts.push(bytes.toString('utf8', rest, (rest = at + 1)));
  }
  return { texts, rest: place.depth <= 2 ? bytes.length : rest };
};

/** The objects of `{"billings": […]}`, those of each piece of a body together, however long it is: only an unfinished one is kept. Throws NotAList. */
export async function* jsonObjects(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown[]> {
  const place: Place = { depth: 0, inText: false, escaped: false };
  let kept: Buffer = Buffer.alloc(0);
  let begun = false;
  for await (const piece of body) {
    const from = begun ? kept.length : 0;
    const bytes = Buffer.concat([kept, piece]);
    begun ||= bytes.length >= longestHead || head.test(bytes.toString('utf8', 0, longestHead));
    if (begun && from === 0 && place.depth === 0 && !head.test(bytes.toString('utf8', 0, longestHead)))
      throw new NotAList('the body does not begin with a list of billings');
    const { texts, rest } = begun ? cut(bytes, from, place) : { texts: [], rest: 0 };
    kept = bytes.subarray(rest);
    if (kept.length > longestObject) throw new NotAList('a billing is too long');
    if (texts.length > 0) yield JSON.parse(`[${texts.join(',')}]`) as unknown[];
  }
  if (!begun || place.depth !== 0) throw new NotAList('the body ends before its end');
}

/** An answer as it came, its head unparsed but for the status. */
export interface HttpAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Thrown where the bytes are no answer that this client reads. */
export class Unreadable extends Error {}

const lengthPattern = /\r\ncontent-length: *(\d+)/i;

const lengthOf = (head: string): number => {
  const [, length] = lengthPattern.exec(head) ?? [];
  if (length === undefined || !head.startsWith('HTTP/1.1 ')) throw new Unreadable('no length');
  return Number(length);
};

/** The value of a header, or undefined. */
export const headerOf = ({ head }: HttpAnswer, name: string): string | undefined => {
  const at = head.toLowerCase().indexOf(`\r\n${name}:`);
  if (at < 0) return undefined;
  const end = head.indexOf('\r\n', at + 2);
  return head.slice(at + name.length + 3, end < 0 ? undefined : end).trim();
};

/** Reads answers from the chunks of one connection, which may be cut anywhere. A chunk may be overwritten after the call. Throws Unreadable. */
export const createResponseReader = (onAnswer: (answer: HttpAnswer) => void): ((chunk: Buffer) => void) => {
  let held: Buffer | undefined;
  return (chunk) => {
    let data = held ? Buffer.concat([held, chunk]) : chunk;
    held = undefined;
    while (data.length > 0) {
      const headEnd = data.indexOf('\r\n\r\n');
      const head = headEnd < 0 ? '' : data.toString('latin1', 0, headEnd);
      const end = headEnd < 0 ? Infinity : headEnd + 4 + lengthOf(head);
      if (data.length < end) {
        held = Buffer.from(data);
        return;
      }
      onAnswer({ status: Number(head.slice(9, 12)), head, body: data.toString('utf8', headEnd + 4, end) });
      data = data.subarray(end);
    }
  };
};

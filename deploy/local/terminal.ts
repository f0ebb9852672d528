import type { Writable } from 'node:stream';
import type { Print } from './progress.ts';

/** Prints for as long as somebody reads: what is written to a closed terminal, or to a reader that has ended, is dropped. */
export const printTo = (stream: Writable): Print => {
  stream.on('error', () => undefined);
  return (line) => void stream.write(`${line}\n`);
};

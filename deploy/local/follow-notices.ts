import { closeSync, openSync, readSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { operatorNotices } from '#libs/runtime/operator-notices.ts';
import type { Print } from './progress.ts';

const lookEveryMs = 500;
const mostBytes = 1024 * 1024;
const texts: readonly string[] = Object.values(operatorNotices);
const line = z.object({
  service: z.string(),
  msg: z.string(),
  count: z.number().optional(),
  limit: z.number().optional(),
  duration_ms: z.number().optional(),
});

const told = ({ service, msg, count, limit, duration_ms: tookMs }: z.output<typeof line>): string => {
  const facts = [
    ...(count === undefined
      ? []
      : [`${count.toLocaleString('en')}${limit === undefined ? '' : ` of at most ${limit}`}`]),
    ...(tookMs === undefined ? [] : [`${(tookMs / 1000).toFixed(1)} s`]),
  ];
  return `! ${service}: ${msg}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
};

/** What a log says that is notable, as the terminal is told. */
export const noticesIn = (text: string): string[] =>
  text.split('\n').flatMap((each) => {
    if (!texts.some((message) => each.includes(message))) return [];
    const read = line.safeParse(JSON.parse(each));
    return read.success ? [told(read.data)] : [];
  });

/** What was appended to a file since it was so long, at most a megabyte; a file that was turned over begins anew. */
const appended = (path: string, seen: number): { text: string; size: number } => {
  const { size } = statSync(path);
  const from = size < seen ? 0 : Math.max(seen, size - mostBytes);
  const bytes = Buffer.alloc(size - from);
  const file = openSync(path, 'r');
  const length = readSync(file, bytes, 0, bytes.length, from);
  closeSync(file);
  const end = bytes.lastIndexOf('\n', length) + 1;
  return { text: bytes.toString('utf8', 0, end), size: from + end };
};

/** Follows the logs of a folder for as long as this process lives, and tells the terminal what is notable. */
export const followNotices = (folder: string, print: Print): void => {
  const sizes = new Map<string, number>();
  const look = () => {
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.log'))) {
      const { text, size } = appended(join(folder, name), sizes.get(name) ?? 0);
      sizes.set(name, size);
      noticesIn(text).forEach((each) => print(each));
    }
  };
  const safely = () => {
    try {
      look();
    } catch {
      return; // the folder is gone, or a line was cut: the next look sees more
    }
  };
  setInterval(safely, lookEveryMs).unref();
};

import { closeSync, openSync, readSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { operatorNotices } from '#libs/runtime/operator-notices.ts';
import type { Print } from './progress.ts';

const pollEveryMs = 500;
const maxBytes = 1024 * 1024;
const texts: readonly string[] = Object.values(operatorNotices);
const line = z.object({
  service: z.string(),
  msg: z.string(),
  count: z.number().optional(),
  limit: z.number().optional(),
  duration_ms: z.number().optional(),
});

const noticeText = ({ service, msg, count, limit, duration_ms: tookMs }: z.output<typeof line>): string => {
  const facts = [
    ...(count === undefined
      ? []
      : [`${count.toLocaleString('en')}${limit === undefined ? '' : ` of at most ${limit}`}`]),
    ...(tookMs === undefined ? [] : [`${(tookMs / 1000).toFixed(1)} s`]),
  ];
  return `! ${service}: ${msg}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
};

/** The notices for operators in a piece of log, as lines for the terminal. */
export const noticesIn = (text: string): string[] =>
  text.split('\n').flatMap((each) => {
    if (!texts.some((message) => each.includes(message))) return [];
    const read = line.safeParse(JSON.parse(each));
    return read.success ? [noticeText(read.data)] : [];
  });

/** What was appended to a file since it had `seen` bytes, at most 1 MiB; a file that was rotated is read from its beginning. */
const appended = (path: string, seen: number): { text: string; size: number } => {
  const { size } = statSync(path);
  const from = size < seen ? 0 : Math.max(seen, size - maxBytes);
  const bytes = Buffer.alloc(size - from);
  const file = openSync(path, 'r');
  const length = readSync(file, bytes, 0, bytes.length, from);
  closeSync(file);
  const end = bytes.lastIndexOf('\n', length) + 1;
  return { text: bytes.toString('utf8', 0, end), size: from + end };
};

/** Prints the notices for operators that appear in the logs of a folder, for as long as this process lives. */
export const followNotices = (folder: string, print: Print): void => {
  const sizes = new Map<string, number>();
  const poll = () => {
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.log'))) {
      const { text, size } = appended(join(folder, name), sizes.get(name) ?? 0);
      sizes.set(name, size);
      noticesIn(text).forEach((each) => print(each));
    }
  };
  const safely = () => {
    try {
      poll();
    } catch {
      return; // the folder is gone, or a line was cut: the next poll sees more
    }
  };
  setInterval(safely, pollEveryMs).unref();
};

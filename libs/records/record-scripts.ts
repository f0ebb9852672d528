import { z } from 'zod';
import { loadScript } from '#libs/redis/script.ts';

const file = (name: string) => new URL(name, import.meta.url);
const ids = z.array(z.string());

/** The scripts of a store of records; what each does stands at its head. */
export const readScript = loadScript({
  file: file('./read.lua'),
  keys: ['record', 'holders', 'marks', 'watch'],
  args: ['owner', 'away_after_ms', 'window_ms', 'server'],
  answer: z.tuple([z.number(), z.string(), z.string(), z.string(), z.number()]),
});
/** Compare and set. */
export const commitScript = loadScript({
  file: file('./commit.lua'),
  keys: ['deadlines', 'expiries', 'holders', 'watch', 'records...'],
  args: ['changes', 'server'],
  answer: z.enum(['committed', 'conflict']),
});
/** What the log knows, beside what is here. */
export const mergeScript = loadScript({
  file: file('./merge.lua'),
  keys: ['deadlines', 'expiries', 'holders', 'marks', 'records...'],
  args: ['changes'],
  answer: z.number(),
});
/** Marks or unmarks an owner. */
export const markScript = loadScript({
  file: file('./mark.lua'),
  keys: ['marks', 'watch'],
  args: ['owner', 'mark', 'server'],
  answer: z.literal('marked'),
});
/** Whose deadline has passed. */
export const dueScript = loadScript({
  file: file('./due.lua'),
  keys: ['deadlines', 'expiries', 'watch'],
  args: ['bite', 'away_after_ms', 'window_ms', 'server'],
  answer: z.tuple([z.number(), z.number(), z.number(), ids, ids]),
});
/** Declares the view whole. */
export const wholeScript = loadScript({
  file: file('./view-complete.lua'),
  keys: ['watch'],
  args: ['server', 'window_ms'],
  answer: z.literal('whole'),
});
/** Stops expiries for a while, or agrees to many. */
export const suspendExpiriesScript = loadScript({
  file: file('./suspend-expiries.lua'),
  keys: ['watch'],
  args: ['for_ms', 'field'],
  answer: z.literal('set'),
});

import { z } from 'zod';
import { bucketLua, loadScript } from '#libs/redis/script.ts';

const file = (name: string) => new URL(name, import.meta.url);
/** The beginning of scripts whose keys have `watch`, and whose arguments `server`, `outage_after_ms` and `window_ms`. */
export const amnestyLua = file('./amnesty.lua');
const ids = z.array(z.string());
/** Of a record whose key is no hash: somebody else wrote it, and trying again does not help. */
const unreadable = z.literal('unreadable');

/** The scripts of a record store and its hot view. The header of each .lua file says what it does. */
export const readScript = loadScript({
  file: file('./read.lua'),
  beginsWith: amnestyLua,
  keys: ['holders', 'marks', 'watch', 'records...'],
  args: ['outage_after_ms', 'window_ms', 'server', 'owners...'],
  answer: z.tuple([
    z.number(),
    z.number(),
    z.number(),
    z.array(z.union([z.tuple([z.array(z.string()), z.string(), z.string()]), unreadable])),
  ]),
});
/** Compare-and-set of records and seats, and the instant; a number of the answers is how long a record's own bucket has no token, in ms. */
export const commitScript = loadScript({
  file: file('./commit.lua'),
  beginsWith: bucketLua,
  keys: ['deadlines', 'expiries', 'holders', 'watch', 'records...'],
  args: ['commits', 'server'],
  answer: z.tuple([
    z.number(),
    z.array(z.union([z.enum(['committed', 'conflict']), unreadable, z.number()])),
  ]),
});
/** Writes records of the log where nothing newer is stored, and those that are over in any case. */
export const mergeScript = loadScript({
  file: file('./merge.lua'),
  keys: ['deadlines', 'expiries', 'holders', 'contests', 'records...'],
  args: ['changes'],
  answer: z.literal('merged'),
});
/** Marks owners as the log knows them. */
export const mergeMarksScript = loadScript({
  file: file('./merge-marks.lua'),
  keys: ['marks'],
  args: ['changes'],
  answer: z.literal('merged'),
});
/** Marks an owner, unless its mark is newer. */
export const markScript = loadScript({
  file: file('./mark.lua'),
  keys: ['marks', 'marked', 'holders', 'watch'],
  args: ['owner', 'mark', 'at_ms', 'keep_ms', 'of_holder', 'server'],
  answer: z.literal('marked'),
});
/** The ids whose deadline has passed. */
export const dueScript = loadScript({
  file: file('./due.lua'),
  keys: ['deadlines', 'expiries', 'watch'],
  args: ['batch_size', 'agreed_batch_size', 'outage_after_ms', 'window_ms', 'late_ms', 'server'],
  answer: z.tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.number(), ids, ids]),
});
/** Marks a shard's view as complete on a server, unless it was emptied since the rebuild began. */
export const viewCompleteScript = loadScript({
  file: file('./view-complete.lua'),
  keys: ['watch'],
  args: ['rebuild', 'server', 'window_ms', 'era'],
  answer: z.enum(['complete', 'emptied']),
});
/** Takes back what a shard's view was marked with when its server was a primary before. */
export const viewStaleScript = loadScript({
  file: file('./view-stale.lua'),
  keys: ['watch'],
  args: ['era'],
  answer: z.literal('stale'),
});
/** Suspends expiries, or agrees to a mass expiry. */
export const suspendExpiriesScript = loadScript({
  file: file('./suspend-expiries.lua'),
  keys: ['watch'],
  args: ['for_ms', 'field'],
  answer: z.literal('set'),
});
/** Takes one of the expiries that the mass-expiry guard lets happen. */
export const releaseExpiryScript = loadScript({
  file: file('./release-expiry.lua'),
  keys: ['watch'],
  args: ['pause_ms'],
  answer: z.enum(['go', 'wait']),
});
/** Makes a record that could not be handled due again later. */
export const postponeScript = loadScript({
  file: file('./postpone.lua'),
  keys: ['deadlines', 'expiries', 'record'],
  args: ['id', 'pause_ms'],
  answer: z.enum(['handled', 'postponed', 'removed']),
});

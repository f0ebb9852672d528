import type { Redis } from 'ioredis';
import type { z } from 'zod';
import type { MassExpiryGuard } from './mass-expiry-guard.ts';
import type { TrustedServer } from './hot-view.ts';

/** What every stored record has: a version that only grows, and the one instant at which it is next looked at. */
export interface Versioned {
  readonly version: number;
  readonly deadlineAtMs: number;
}

/** What one look at the store tells, all at the same instant of Redis' own clock. */
export interface Found<R> {
  readonly nowMs: number;
  readonly record: R | undefined;
  /** The id of the record that holds the owner's seat. */
  readonly holder: string | undefined;
  readonly mark: string | undefined;
  /** Until when nothing expires because we were away, in ms since the epoch; in the past or 0: no amnesty (D-11). */
  readonly amnestyUntilMs: number;
}

/** One change of a commit. `after` absent: the record is forgotten. `seat`: the holder that was seen, and who holds it from now on. */
export interface Change<R> {
  readonly id: string;
  readonly owner: string;
  readonly before: R | undefined;
  readonly after: R | undefined;
  readonly seat?: { readonly before: string | undefined; readonly after: string | undefined };
}

/** A record as the log knows it. */
export interface LoggedRecord<R> {
  readonly id: string;
  readonly owner: string;
  readonly record: R;
  /** What its owner was last marked with. */
  readonly mark?: string;
}

/** Versioned records with one deadline each, in shards (architecture, idea B). Every method throws UNAVAILABLE when Redis is away, or its view not whole (D-24). */
export interface RecordStore<R> {
  look(id: string, owner?: string): Promise<Found<R>>;
  /** All or nothing; false: somebody else was faster. All ids must share a shard. */
  commit(changes: readonly Change<R>[]): Promise<boolean>;
  /** Ids whose deadline has passed, at most `bite` of each shard and kind; expiries only while the brake is off (D-25). */
  due(bite: number): Promise<string[]>;
  /** An operator agrees that many expire at once, for ten minutes (D-25). */
  agree(): Promise<void>;
  /** Who holds the owner's seat. */
  holderOf(owner: string): Promise<string | undefined>;
  mark(owner: string, mark: string | undefined): Promise<void>;
  /** Puts what the log knows beside what is here, whether or not the view is whole; answers how many were newer. */
  merge(known: readonly LoggedRecord<R>[]): Promise<number>;
}

/** What a store of records is made of. */
export interface RecordStoreOptions<S extends z.ZodType, R> {
  readonly redis: Redis;
  readonly prefix: string;
  readonly schema: S;
  readonly shardOf: (id: string) => string;
  readonly shardOfOwner: (owner: string) => string;
  /** How long an amnesty lasts after an outage of ours, in ms (D-11). */
  readonly amnestyMs: number;
  /** Whether the record's deadline is an expiry, which the brake may hold back; without it none is. */
  readonly isLive?: (record: R) => boolean;
  /** Which server the records are trusted on; without it any. */
  readonly trust?: TrustedServer | undefined;
  readonly brake?: MassExpiryGuard | undefined;
}

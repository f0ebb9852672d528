import type { RateLimit } from '#libs/kernel/rate.ts';
import type { Redis } from '#libs/redis/connection.ts';
import type { MassExpiryGuard } from './mass-expiry-guard.ts';
import type { Packing, Wire } from './packing.ts';
import type { RecordSource } from './record-parser.ts';

/** What every stored record has: a version that grows by each change, and the one instant at which it is due. */
export interface Versioned {
  readonly version: number;
  readonly deadlineAtMs: number;
}

/** What a read returns: one consistent state, at an instant of Redis' own clock. */
export interface RecordRead<R> {
  readonly nowMs: number;
  readonly record: R | undefined;
  /** The id of the record that holds the owner's seat. */
  readonly holder: string | undefined;
  /** What the owner was last marked with. */
  readonly mark: string | undefined;
  /** Until when nothing expires because of an outage of ours, in ms since the epoch; 0 or past: no amnesty (D-11). */
  readonly amnestyUntilMs: number;
  /** Until when nobody's silence is believed: an amnesty, or a mass expiry is held back (D-25); 0 or past: it is. */
  readonly suspendedUntilMs: number;
}

/** What an update decides on: what was read and, where the record does not exist yet, the record that holds its owner's seat. */
export type Current<R> = RecordRead<R> & { readonly seated: R | undefined };

/** A decision to write a record and, in the same step, the next state of the record that held its owner's seat, if one did. */
export interface Displacement<R> {
  readonly record: R;
  readonly displaced: R | undefined;
}

/** A record's next state; undefined, or the record as it was read: nothing is written; `forget`: the record is deleted. */
export type Decision<R> = R | Displacement<R> | 'forget' | undefined;

/** What the last read saw, and what was decided; of what was written without a read the instant at which it was, and nothing of holder, mark and amnesty. */
export type Updated<R> = RecordRead<R> & {
  /** The record as it was decided on, written or left as it was; undefined where the decision was undefined or `forget`. */
  readonly after: R | undefined;
  readonly displaced: R | undefined;
};

/** What an owner was marked with, and when, in ms since the epoch. */
export interface OwnerMark {
  readonly owner: string;
  readonly mark: string;
  readonly atMs: number;
}

/** Versioned records with one deadline each, in shards. Every method rejects with UNAVAILABLE when Redis is down or the view is not trusted (D-24). */
export interface RecordStore<R> {
  /** `owner` is needed only where the record may not exist yet. */
  read(id: string, owner?: string): Promise<RecordRead<R>>;
  /**
   * Reads, decides and writes by compare-and-set until no other writer came first; UNAVAILABLE after ten attempts. The same step keeps
   * the owner's seat: a new record takes it, one that stops holding it leaves it. `owner` is needed only where the record may not exist yet.
   * With a `limit`, writes beyond it are RATE_LIMITED (D-42). What is `known` of a record that exists is not read again, unless another
   * writer was faster. A record that `isNew` is not read before it is written where no other holds its owner's seat (D-66): `decide` is asked
   * first for one that does not exist, at about this instant, and again where that is not so. It must not ask for a mark or an amnesty: nobody
   * has looked.
   */
  update(
    id: string,
    decide: (current: Current<R>) => Decision<R> | Promise<Decision<R>>,
    owner?: string,
    options?: {
      readonly limit?: RateLimit | undefined;
      readonly known?: RecordRead<R> | undefined;
      readonly isNew?: boolean;
    },
  ): Promise<Updated<R>>;
  /**
   * Ids whose deadline has passed, at most `batchSize` of each shard and kind, or `agreedBatchSize` expiries while an operator agrees and
   * nothing else of the shard, as long as more expire; no expiries while the mass-expiry guard holds (D-25).
   */
  due(batchSize: number, agreedBatchSize?: number): Promise<string[]>;
  /** A due record that could not be handled is due again in a minute; an id without a record is due no more. Resolves to what it was. */
  postpone(id: string): Promise<'handled' | 'postponed' | 'removed'>;
  /** The id of the record that holds the owner's seat. */
  holderOf(owner: string): Promise<string | undefined>;
  /** Marks an owner with a text for a day, unless its mark is of a later instant (ms since the epoch); read as the instant, a space and the text. What is `ofHolder` concerns who has the owner's seat now: where nobody has it, no mark is left. */
  mark(owner: string, mark: string, atMs: number, options?: { readonly ofHolder?: boolean }): Promise<void>;
  /** Writes what the log knows where nothing newer is stored, and what is over in any case, whether or not the view is trusted. A live record takes its owner's seat if that is free. */
  restore(known: readonly R[]): Promise<void>;
  /** Marks owners, unless their marks are newer. */
  restoreMarks(marks: readonly OwnerMark[]): Promise<void>;
  /** Gives the live records that were restored for a seat that another one held, with that other one, and writes what `settle` makes of them. */
  settleContests(settle: (contested: readonly R[]) => readonly R[]): Promise<void>;
}

/** Which Redis server a view may be trusted on. A restarted server, a promoted replica and an emptied one are other servers (D-24). */
export interface TrustedServer {
  /** The run id of the connected server; throws UNAVAILABLE while none is known. */
  server(): string;
  /** Called when a script found that the view was not written on this server. */
  lost(): void;
}

/** How records of one kind stand in Redis. */
export interface RecordForm<R> {
  /** Parses a record as it stands on the wire, by where it comes from; throws ZodError. */
  readonly parse: (wire: unknown, source: RecordSource) => R;
  /** What of a record becomes a hash: all but its version, and what its id and its owner tell. */
  readonly packing: Packing;
  /** What its id and its owner tell of a record, as on the wire. */
  readonly told: (id: string, owner: string) => Wire;
}

/** What a record store needs to know about its records. */
export interface RecordStoreOptions<R> extends RecordForm<R> {
  readonly redis: Redis;
  /** Every key begins with it. */
  readonly prefix: string;
  /** False: records are written as JSON, which versions read that know no others (D-57). */
  readonly packs: boolean;
  readonly idOf: (record: R) => string;
  readonly ownerOf: (record: R) => string;
  /** A record and its owner must be in one shard. */
  readonly shardOf: (id: string) => string;
  readonly shardOfOwner: (owner: string) => string;
  /** How long an amnesty lasts after an outage of ours, in ms (D-11). */
  readonly amnestyMs: number;
  /** How often a record whose deadline is an expiry has a heartbeat, in ms; 0: never. */
  readonly heartbeatMs: number;
  /** Whether the record holds its owner's seat; without it owners have no seats. */
  readonly holdsSeat?: (record: R) => boolean;
  /** Whether the record's deadline is an expiry, which the mass-expiry guard may hold back; without it none is. */
  readonly expires?: (record: R) => boolean;
  /** Whether nothing is left to do for the record: it has no sweeper, and Redis forgets it at its deadline. */
  readonly lingers?: (record: R) => boolean;
  /** Whether what the log knows of the record is so whatever a lost server wrote later; without it the higher version is. Nobody changes it. */
  readonly stands?: (record: R) => boolean;
  /** Which server the records are trusted on; without it any. */
  readonly trust?: TrustedServer | undefined;
  readonly massExpiryGuard?: MassExpiryGuard | undefined;
}

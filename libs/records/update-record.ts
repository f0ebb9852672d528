import { rateLimited, unavailable } from '#libs/contracts/errors.ts';
import type { RateLimit } from '#libs/kernel/rate.ts';
import type {
  Current,
  Decision,
  Displacement,
  RecordRead,
  RecordStore,
  RecordStoreOptions,
  Updated,
  Versioned,
} from './record-types.ts';

const maxAttempts = 10;

/** One write of a commit, valid only while the record has the version of `before` and the seat the holder `seat.before`. No `after`: the record is deleted. */
export interface Change<R> {
  readonly before: R | undefined;
  readonly after: R | undefined;
  readonly seat?: { readonly before: string | undefined; readonly after: string | undefined } | undefined;
  /** The record's own limit, at the instant of the read, in ms since the epoch. */
  readonly limit?: (RateLimit & { readonly atMs: number }) | undefined;
  /** The instant, in ms since the epoch, at which this was decided without a read: valid only while the server's clock says so. */
  readonly supposedAtMs?: number | undefined;
}

/**
 * What an update is made of: `commit` writes all changes, or none where another writer came first or what was supposed is not so (false), or
 * for so many ms until a record's own limit lets it be written; `nowMs` is the instant of that, by the server's clock.
 */
export interface UpdateOptions<R> extends Pick<RecordStoreOptions<R>, 'idOf' | 'holdsSeat'> {
  readonly read: RecordStore<R>['read'];
  /** The instant on the server of a record, in ms since the epoch, without asking it; undefined where that is not known. */
  readonly supposedNowMs: (id: string) => number | undefined;
  readonly commit: (
    changes: readonly Change<R>[],
  ) => Promise<{ readonly nowMs: number; readonly committed: boolean | number }>;
}

const isDisplacement = <R extends Versioned>(decision: R | Displacement<R>): decision is Displacement<R> =>
  'displaced' in decision;

const outcomeOf = <R extends Versioned>(decision: Decision<R>) => {
  if (decision === undefined || decision === 'forget') return { after: undefined, displaced: undefined };
  if (!isDisplacement(decision)) return { after: decision, displaced: undefined };
  return { after: decision.record, displaced: decision.displaced };
};

/** A new record compares the holder that was read, and takes the seat if it holds one; a record that stops holding its seat leaves it. */
const seatChange = <R>(
  { idOf, holdsSeat }: UpdateOptions<R>,
  { record: before, holder }: Current<R>,
  after: R | undefined,
): Change<R>['seat'] => {
  if (holdsSeat === undefined) return undefined;
  const holds = after !== undefined && holdsSeat(after);
  if (before === undefined) return { before: holder, after: holds ? idOf(after) : holder };
  return !holds && holder === idOf(before) ? { before: holder, after: undefined } : undefined;
};

const changesOf = <R extends Versioned>(
  options: UpdateOptions<R>,
  current: Current<R>,
  decision: Decision<R>,
): Change<R>[] => {
  const { record: before, seated } = current;
  const { after, displaced } = outcomeOf(decision);
  if (after === before || (after === undefined && decision !== 'forget')) return [];
  const own = { before, after, seat: seatChange(options, current, after) };
  return displaced ? [own, { before: seated, after: displaced }] : [own];
};

/** What is most likely read of a record that begins (D-66): nobody knows it, and its owner's seat is free. Of marks and of an amnesty it says nothing. Undefined where no instant is known. */
const supposedNew = (nowMs: number | undefined): RecordRead<never> | undefined =>
  nowMs === undefined
    ? undefined
    : {
        nowMs,
        record: undefined,
        holder: undefined,
        mark: undefined,
        amnestyUntilMs: 0,
        suspendedUntilMs: 0,
      };

/** Reads what an update decides on, or takes it for read. */
const currentOf = async <R extends Versioned>(
  { read }: Pick<UpdateOptions<R>, 'read'>,
  { id, owner }: { readonly id: string; readonly owner: string | undefined },
  taken: RecordRead<R> | undefined,
): Promise<Current<R>> => {
  const found = taken ?? (await read(id, owner));
  const holderOfNew = found.record === undefined ? found.holder : undefined;
  const seated = holderOfNew === undefined ? undefined : (await read(holderOfNew)).record;
  return { ...found, seated };
};

/** `RecordStore.update` over any read and commit. */
export const createUpdate = <R extends Versioned>(options: UpdateOptions<R>): RecordStore<R>['update'] => {
  const { commit, supposedNowMs } = options;
  /** Undefined: another writer came first, or what was supposed is not so. */
  const attempt = async (
    current: Current<R>,
    decide: (current: Current<R>) => Decision<R> | Promise<Decision<R>>,
    more: Pick<Change<R>, 'limit' | 'supposedAtMs'>,
  ): Promise<Updated<R> | undefined> => {
    const decision = await decide(current);
    const [own, ...others] = changesOf(options, current, decision);
    const isSupposed = more.supposedAtMs !== undefined;
    if (own === undefined) return isSupposed ? undefined : { ...current, ...outcomeOf(decision) };
    const { nowMs, committed } = await commit([{ ...own, ...more }, ...others]);
    if (more.limit && typeof committed === 'number') throw rateLimited(more.limit, committed);
    // Others compare the instant with those of what was written before (D-36): what was supposed may be earlier than these.
    return committed ? { ...current, ...(isSupposed && { nowMs }), ...outcomeOf(decision) } : undefined;
  };
  return async (id, decide, owner, { limit, known, isNew = false } = {}) => {
    for (let tried = 0; tried < maxAttempts; tried += 1) {
      const supposed = tried === 0 && isNew ? supposedNew(supposedNowMs(id)) : undefined;
      const current = await currentOf(options, { id, owner }, supposed ?? (tried === 0 ? known : undefined));
      const updated = await attempt(current, decide, {
        limit: limit && { ...limit, atMs: current.nowMs },
        supposedAtMs: supposed?.nowMs,
      });
      if (updated) return updated;
    }
    throw unavailable();
  };
};

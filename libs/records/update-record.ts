import { rateLimited, unavailable } from '#libs/contracts/errors.ts';
import type { RateLimit } from '#libs/kernel/rate.ts';
import type {
  Current,
  Decision,
  Displacement,
  RecordStore,
  RecordStoreOptions,
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
}

/**
 * What an update is made of: `commit` writes all changes, or none and resolves to false where another writer came first, or to the time
 * until a record's own limit lets it be written, in ms.
 */
export interface UpdateOptions<R> extends Pick<RecordStoreOptions<R>, 'idOf' | 'holdsSeat'> {
  readonly read: RecordStore<R>['read'];
  readonly commit: (changes: readonly Change<R>[]) => Promise<boolean | number>;
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

/** `RecordStore.update` over any read and commit. */
export const createUpdate =
  <R extends Versioned>(options: UpdateOptions<R>): RecordStore<R>['update'] =>
  async (id, decide, owner, { limit, known } = {}) => {
    const { read, commit } = options;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const found = attempt === 0 && known ? known : await read(id, owner);
      const holderOfNew = found.record === undefined ? found.holder : undefined;
      const seated = holderOfNew === undefined ? undefined : (await read(holderOfNew)).record;
      const current = { ...found, seated };
      const decision = await decide(current);
      const [own, ...others] = changesOf(options, current, decision);
      const limited = own && limit && { ...own, limit: { ...limit, atMs: found.nowMs } };
      const committed = own === undefined || (await commit([limited ?? own, ...others]));
      if (limit && typeof committed === 'number') throw rateLimited(limit, committed);
      if (committed) return { ...found, ...outcomeOf(decision) };
    }
    throw unavailable();
  };

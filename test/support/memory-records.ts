import type { RecordRead, RecordStore, RecordStoreOptions, Versioned } from '#libs/records/record-types.ts';
import { createUpdate } from '#libs/records/update-record.ts';
import type { Change } from '#libs/records/update-record.ts';

type MemoryOptions<R> = Pick<RecordStoreOptions<R>, 'idOf' | 'ownerOf' | 'holdsSeat'> & {
  readonly clock: () => number;
};

/** As commit.lua has it. */
const supposedWithinMs = 500;

/** `RecordStore.read` and `.update` over two maps, with the store's own update; `losesNext` makes the next commit lose against another writer, `reads` counts what updates read. */
export const memoryRecords = <R extends Versioned>(options: MemoryOptions<R>) => {
  const { idOf, ownerOf, holdsSeat, clock } = options;
  const records = new Map<string, R>();
  const seats = new Map<string, string>();
  let [loses, supposes] = [0, 0];
  const read: RecordStore<R>['read'] = async (id, owner = ''): Promise<RecordRead<R>> => {
    const record = records.get(id);
    const holder = seats.get(record ? ownerOf(record) : owner);
    return { nowMs: clock(), record, holder, mark: undefined, amnestyUntilMs: 0, suspendedUntilMs: 0 };
  };
  const apply = ({ before, after, seat }: Change<R>): void => {
    const either = after ?? before;
    if (either === undefined) return;
    if (after) records.set(idOf(after), after);
    else records.delete(idOf(either));
    if (seat?.after) seats.set(ownerOf(either), seat.after);
    else if (seat) seats.delete(ownerOf(either));
  };
  const isCurrent = ({ before, after, seat, supposedAtMs = clock() }: Change<R>): boolean => {
    const either = after ?? before;
    if (either === undefined) return true;
    const passedMs = clock() - supposedAtMs;
    if (passedMs < 0 || passedMs > supposedWithinMs) return false;
    const version = records.get(idOf(either))?.version ?? 0;
    return (
      version === (before?.version ?? 0) && (seat === undefined || seats.get(ownerOf(either)) === seat.before)
    );
  };
  const commit = async (changes: readonly Change<R>[]) => {
    const committed = loses === 0 && changes.every(isCurrent);
    loses = Math.max(0, loses - 1);
    if (committed) changes.forEach(apply);
    return { nowMs: clock(), committed };
  };
  let reads = 0;
  const counted: typeof read = (...asked) => ((reads += 1), read(...asked));
  const update = createUpdate({
    ...{ idOf, read: counted, supposedNowMs: () => clock() + supposes, commit },
    ...(holdsSeat && { holdsSeat }),
  });
  const losesNext = (times: number) => (loses = times);
  const holderOf = async (owner: string) => seats.get(owner);
  /** By how many ms updates are wrong about the clock. */
  const supposesWrong = (ms: number) => (supposes = ms);
  return { read, update, holderOf, records, seats, losesNext, supposesWrong, reads: () => reads };
};

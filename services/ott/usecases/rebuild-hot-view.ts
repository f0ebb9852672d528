import type { Rebuild } from '#libs/records/follow-rebuild.ts';
import type { SharedWork } from '#libs/records/shared-work.ts';
import type { Ott } from '../core/ott.ts';
import type { Ports, RecentLog } from '../ports.ts';

type RebuildPorts = Pick<Ports, 'otts' | 'recentLog'>;

const isIssued = ({ state }: Ott): boolean => state === 'issued';

/** What comes behind a rebuild: what is issued is stored once more when all has come, as in `seatIssued`. */
const following = ({ otts, recentLog }: RebuildPorts, begin: RecentLog['ends']) => {
  let ends = begin;
  return async (signal: AbortSignal): Promise<void> => {
    const issued: Ott[] = [];
    ends = await recentLog.behind(ends, signal, async (known) => {
      await otts.restore(known);
      issued.push(...known.filter(isIssued));
    });
    await otts.restore(issued);
  };
};

/** Stores the tokens of each group; resolves to where to follow from: a group that another replica has read ends where that one stopped. */
const storeAll = async (
  { otts }: RebuildPorts,
  shared: SharedWork,
  { groups, ends, otts: read }: RecentLog,
): Promise<RecentLog['ends']> => {
  const endOf = (part: string): number => ends.get(part) ?? 0;
  const done = await shared.each([...groups.keys()], async (group) => {
    const parts = groups.get(group) ?? [];
    await read(parts, otts.restore);
    return Object.fromEntries(parts.map((part) => [part, endOf(part)]));
  });
  const all = [...done.values()].flatMap((each) => Object.entries(each));
  const known = all.filter(([part]) => ends.has(part));
  return new Map(known.map(([part, end]) => [part, Math.min(end, endOf(part))]));
};

/** Stores what is issued once more, when all groups are stored: in a view that was not empty an earlier token of another one may have had its seat until then. */
const seatIssued = async (
  { otts }: RebuildPorts,
  shared: SharedWork,
  { groups, otts: read }: RecentLog,
): Promise<void> => {
  const seatsOf = new Map([...groups].map(([group, parts]) => [`seats ${group}`, parts]));
  await shared.each([...seatsOf.keys()], async (seats) => {
    await read(seatsOf.get(seats) ?? [], (known) => otts.restore(known.filter(isIssued)));
    return {};
  });
};

/** The view was lost: each token of the recent log is stored where nothing newer is, a consumed one in any case, and has its seat again (D-24). */
export const rebuildHotView =
  (ports: RebuildPorts): Rebuild =>
  (signal, shared) =>
    ports.recentLog.open(signal, async (log) => {
      const ends = await storeAll(ports, shared, log);
      await seatIssued(ports, shared, log);
      return { follow: following(ports, ends) };
    });

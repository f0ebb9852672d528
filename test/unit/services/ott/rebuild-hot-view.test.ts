import type { RecentLog } from '../../../../services/ott/ports.ts';
import { rebuildHotView } from '../../../../services/ott/usecases/rebuild-hot-view.ts';

const groups = new Map([['0', ['issuances#0', 'ends#0']]]);
const ends = new Map([
  ['issuances#0', 5],
  ['ends#0', 7],
]);

/** Rebuilds what another replica has read up to these ends; resolves to where it follows from. */
const followedFrom = async (otherEnds: Record<string, number>): Promise<RecentLog['ends'] | undefined> => {
  let from: RecentLog['ends'] | undefined;
  const recentLog = {
    open: <T>(_: AbortSignal, use: (log: RecentLog) => Promise<T>): Promise<T> =>
      use({ groups, ends, otts: async () => undefined }),
    behind: async (known: RecentLog['ends']) => {
      from = known;
      return known;
    },
  };
  const restore = async () => undefined;
  const otts = { read: async () => Promise.reject(new Error('unused')), restore };
  const { signal } = new AbortController();
  const shared = {
    each: async (names: readonly string[]) => new Map(names.map((name) => [name, otherEnds])),
  };
  const { follow } = await rebuildHotView({ otts: otts as never, recentLog })(signal, shared);
  await follow(signal);
  return from;
};

test('what comes after a rebuild is read from where whoever read a partition stopped, or from where this replica knows it to end', async () => {
  expect(await followedFrom({ 'issuances#0': 3, 'ends#0': 9 })).toEqual(
    new Map([
      ['issuances#0', 3],
      ['ends#0', 7],
    ]),
  );
});

test('a partition of which only the other replica knew is followed from its beginning', async () => {
  expect(await followedFrom({ 'issuances#0': 5, 'ends#0': 7, 'ends#1': 4 })).toEqual(ends);
});

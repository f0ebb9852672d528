import { differencesOf, strayBilling } from './differences.ts';
import type { Candidate, Closings, DifferenceSum, FoundDifference, Stray } from '../ports.ts';

/** A list that nobody reads to its end helps nobody: beyond these the sums tell. */
const mostListedDifferences = 10_000;
const tellEvery = 100_000;

interface Tally {
  readonly sums: Map<string, DifferenceSum>;
  differences: number;
  differingSessions: number;
}

interface FindPorts {
  readonly closings: Closings;
  readonly statement?: unknown;
  readonly progress: (text: string) => void;
}

const add = (tally: Tally, { cafeId, gameId, cause, band, ourSec, theirSec }: FoundDifference): void => {
  const key = `${cafeId} ${gameId} ${cause} ${band}`;
  const sum = tally.sums.get(key) ?? { cafeId, gameId, cause, band, sessions: 0, ourSec: 0, theirSec: 0 };
  tally.sums.set(key, {
    ...sum,
    sessions: sum.sessions + 1,
    ourSec: sum.ourSec + (ourSec ?? 0),
    theirSec: sum.theirSec + (theirSec ?? 0),
  });
  tally.differences += 1;
};

const judged = ({ gameSessionId, cafeId, gameId, ...line }: Candidate): FoundDifference[] =>
  differencesOf(line).map((each) => ({ gameSessionId, cafeId, gameId, ...each }));

const stray = ({ status, partnerSec, ...about }: Stray): FoundDifference => ({
  ...about,
  ...strayBilling(status, partnerSec),
});

const take = async (
  { closings, progress }: FindPorts,
  day: string,
  tally: Tally,
  found: FoundDifference[],
) => {
  const before = tally.differences;
  for (const each of found) add(tally, each);
  const listed = found.slice(0, Math.max(0, mostListedDifferences - before));
  if (listed.length > 0) await closings.recordDifferences(day, listed);
  if (Math.floor(tally.differences / tellEvery) > Math.floor(before / tellEvery))
    progress(`${tally.differences} differences so far`);
};

/** Says why the books differ, session by session: the first are listed, all are added up by cafe, game and cause. Returns how many. */
export const findDifferences = async (ports: FindPorts, day: string): Promise<number> => {
  const { closings, statement } = ports;
  const tally: Tally = { sums: new Map(), differences: 0, differingSessions: 0 };
  for await (const page of closings.candidates(statement !== undefined)) {
    const found = page.map(judged);
    tally.differingSessions += found.filter(({ length }) => length > 0).length;
    await take(ports, day, tally, found.flat());
  }
  for await (const page of closings.strays(day)) await take(ports, day, tally, page.map(stray));
  const { differingSessions, sums } = tally;
  await closings.recordResult(day, { differingSessions, sums: [...sums.values()] });
  return tally.differences;
};

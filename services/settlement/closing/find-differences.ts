import { differencesOf, unmatchedBilling } from './differences.ts';
import type {
  ClosingPorts,
  DifferenceSum,
  DifferingLine,
  FoundDifference,
  UnmatchedBilling,
} from './ports.ts';

/** Differences beyond these are only added up: nobody reads a longer list (D-30). */
const maxListedDifferences = 10_000;
const progressEvery = 100_000;

interface Tally {
  readonly sums: Map<string, DifferenceSum>;
  differences: number;
  differingSessions: number;
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

const lineDifferences = ({ gameSessionId, cafeId, gameId, ...line }: DifferingLine): FoundDifference[] =>
  differencesOf(line).map((each) => ({ gameSessionId, cafeId, gameId, ...each }));

const billingDifference = ({ status, partnerSec, ...session }: UnmatchedBilling): FoundDifference => ({
  ...session,
  ...unmatchedBilling(status, partnerSec),
});

const record = async (
  { closings, progress }: ClosingPorts,
  day: string,
  tally: Tally,
  found: FoundDifference[],
): Promise<void> => {
  const before = tally.differences;
  for (const each of found) add(tally, each);
  const listed = found.slice(0, Math.max(0, maxListedDifferences - before));
  if (listed.length > 0) await closings.recordDifferences(day, listed);
  if (Math.floor(tally.differences / progressEvery) > Math.floor(before / progressEvery))
    progress(`${tally.differences} differences so far`);
};

/** Decides where the records of a day's sessions differ: the first differences are listed, all are added up. Resolves to how many. */
export const findDifferences = async (ports: ClosingPorts, day: string): Promise<number> => {
  const { closings, readPartnerStatement } = ports;
  const tally: Tally = { sums: new Map(), differences: 0, differingSessions: 0 };
  for await (const page of closings.differingLines(readPartnerStatement !== undefined)) {
    const found = page.map(lineDifferences);
    tally.differingSessions += found.filter(({ length }) => length > 0).length;
    await record(ports, day, tally, found.flat());
  }
  for await (const page of closings.unmatchedBillings(day))
    await record(ports, day, tally, page.map(billingDifference));
  const { differingSessions, sums } = tally;
  await closings.recordResult(day, { differingSessions, sums: [...sums.values()] });
  return tally.differences;
};

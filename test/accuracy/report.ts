import type { Verdict } from './judge/judge.ts';

const mostShown = 10;
const whole = (number: number): string => number.toLocaleString('en');

const shown = (lines: readonly string[]): string[] => [
  ...lines.slice(0, mostShown).map((line) => `      ${line}`),
  ...(lines.length > mostShown ? [`      … and ${lines.length - mostShown} more`] : []),
];

const findingLines = ({ findings }: Verdict): string[] =>
  findings.flatMap(({ name, says, checked, violations }) => [
    `  ${violations.length === 0 ? '✓' : '✗'} ${name}  ${says.padEnd(52)} ${whole(checked).padStart(8)} checked, ${violations.length} violated`,
    ...shown(violations),
  ]);

/** The headline: seconds by the game servers, by the partner, and what is wrong with them. */
export const headline = ({ playedSec, billedSec, lostSec, doubleSec }: Verdict): string =>
  `played ${whole(playedSec)} s, billed ${whole(billedSec)} s, lost ${whole(lostSec)} s, double-billed ${whole(doubleSec)} s`;

/** The verdict as lines for the terminal. */
export const reportOf = (verdict: Verdict): string[] => {
  const { settledSec, provedSec, provableSec, unreceived, refused, details, lagMs, tooSlow } = verdict;
  return [
    ...findingLines(verdict),
    '',
    `  ${headline(verdict)}`,
    `  a right bill is between ${whole(provedSec)} s, what the game servers proved, and ${whole(provableSec)} s, what they can have proved (D-09)`,
    `  ${whole(verdict.sessions)} sessions; settlement has ${whole(settledSec)} s; ${unreceived.sessions} answers to a verify never reached their game server (${unreceived.sec} s, D-09)`,
    `  ${refused.sessions} sessions began while the partner was away and were refused by it afterwards (${refused.sec} s, D-12)`,
    ...shown(details),
    `  longest stall of the players' own process: ${whole(lagMs)} ms${tooSlow ? ' — this machine was too slow to judge; run it again with fewer --players' : ''}`,
  ];
};

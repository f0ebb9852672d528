import type { Slice } from '../bench/recorder.ts';
import type { PhaseResult } from '../bench/run-phase.ts';
import type { Usage } from '../bench/usage.ts';
import type { Tally } from './attacks.ts';

/** What an attack brought: `fromSec` to `untilSec` of the players' time, the CPU that the product used meanwhile beyond that for the players. */
export interface AttackReport {
  readonly name: string;
  readonly fromSec: number;
  readonly untilSec: number;
  readonly tally: Tally;
  readonly extraCpuMs: number;
}

/** Heartbeats are answered so fast while the attacks run. */
export const mostP99Ms = 60;
/** A process that grew by less has not grown: buffers of a burst stay with it for a while. */
const flatMb = 48;

const inside = (
  slices: readonly Slice[],
  { fromSec, untilSec }: Pick<AttackReport, 'fromSec' | 'untilSec'>,
) => slices.filter(({ atSec }) => atSec >= fromSec && atSec < untilSec);
const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
const most = (numbers: readonly number[]) => Math.max(0, ...numbers);

/** How the players fared before the attacks, which tells what is this machine's own. */
export const calmLine = (fromSec: number, untilSec: number, { slices }: PhaseResult): string => {
  const seconds = inside(slices, { fromSec, untilSec });
  const middle = seconds.map(({ p50Ms }) => p50Ms).sort((a, b) => a - b)[seconds.length >> 1] ?? 0;
  const worst = most(seconds.map(({ p99Ms }) => p99Ms));
  return `no attack: players p50 ${middle.toFixed(1)} ms, p99 ${worst.toFixed(1)} ms in the worst second`;
};

/** One line for each attack, with the players' worst second while it ran. */
export const attackLine = (report: AttackReport, { slices }: PhaseResult): string => {
  const { name, tally, extraCpuMs } = report;
  const seconds = inside(slices, report);
  const answers = Object.entries(tally.answers).map(([how, count]) => `${how} ${count}`);
  const cpu = (Math.max(0, extraCpuMs) / Math.max(1, tally.sent)).toFixed(2);
  const players = `players p99 ${most(seconds.map(({ p99Ms }) => p99Ms)).toFixed(1)} ms in the worst second`;
  const refused = sum(seconds.map(({ notOk }) => notOk));
  return `${name}: ${tally.sent} (${answers.join(', ')}), ${cpu} ms CPU each; ${players}, ${refused} refused`;
};

/** One line for each process: its memory before and after. */
export const memoryLines = (
  before: Readonly<Record<string, Usage>>,
  after: Readonly<Record<string, Usage>>,
): string[] =>
  Object.entries(after).map(([name, { rssMb }]) => {
    const grown = rssMb - (before[name]?.rssMb ?? 0);
    const verdict = grown < flatMb ? 'flat' : 'GROWN';
    return `${name}: ${rssMb.toFixed(0)} MB, ${grown >= 0 ? '+' : ''}${grown.toFixed(0)} MB, ${verdict}`;
  });

/** What became of the players, and whether that is right. */
export const verdictOf = ({ ok, wrong, errors, reasons, p50Ms, p99Ms, maxMs }: PhaseResult) => {
  const refused = wrong + errors;
  const times = `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, max ${maxMs.toFixed(1)} ms`;
  const why = refused > 0 ? `: ${JSON.stringify(reasons)}` : '';
  return {
    holds: refused === 0 && p99Ms <= mostP99Ms,
    line: `players: ${ok} heartbeats, ${times} (at most ${mostP99Ms} ms), ${refused} refused${why}`,
  };
};

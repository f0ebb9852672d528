import { serviceNames } from '#libs/contracts/topics.ts';
import { failures } from './http/connection.ts';
import type { PhaseName } from './phases.ts';
import { achievedPerSec, cpuMsPerOp } from './report.ts';
import type { PhaseReport } from './report.ts';

/** One figure of a phase that must hold. `rate`: of the run of the phase that it is about; the phase's usual rate by default. */
export interface Target {
  readonly phase: PhaseName;
  readonly rate?: number;
  readonly what: string;
  readonly is: 'at least' | 'at most';
  readonly must: number;
  readonly of: (report: PhaseReport, all: readonly PhaseReport[]) => number | undefined;
}

type Figure = Pick<Target, 'what' | 'is' | 'of'>;
const perSec: Figure = { what: 'right answers a second', is: 'at least', of: achievedPerSec };
const p99: Figure = { what: 'p99, ms', is: 'at most', of: ({ result }) => result.p99Ms };
const wrong: Figure = { what: 'wrong answers', is: 'at most', of: ({ result }) => result.wrong };
const notOk: Figure = {
  ...{ what: 'wrong answers and errors', is: 'at most' },
  of: ({ result }) => result.wrong + result.errors,
};
const unanswered: Figure = {
  ...{ what: 'requests without an answer', is: 'at most' },
  of: ({ result }) => failures.reduce((sum, failure) => sum + (result.reasons[failure] ?? 0), 0),
};

/** The rates at which a nearly idle product is measured. */
export const idleRates = { verify: 20, heartbeat: 50 } as const;
/** At what rate heartbeats go on while others fall silent at once, and beside others who live: so many of the first and of the others. */
export const besideOthers = { rate: 500, sessions: 2_000, silent: 100_000, live: 200_000 } as const;
/** For how long players come and go before it counts what memory they took, in seconds. */
export const mixedSec = 600;

const fastAnswers = (phase: PhaseName, rate: number, ms: number): Target[] => [
  { phase, ...perSec, must: rate },
  { phase, ...p99, must: ms },
  { phase, ...wrong, must: 0 },
  { phase, ...unanswered, must: 0 },
];

const stores = ['redis', 'kafka', 'postgres'];
/** Whether a process is of a program: under its name, or as a replica of it. */
const isOf = (name: string) => (process: string) => process === name || process.startsWith(`${name}-`);

/** The largest figure of a service. */
const largestOf = (mb: PhaseReport['rssMb']): number | undefined => {
  const found = Object.entries(mb).filter(([name]) => serviceNames.some((service) => isOf(service)(name)));
  return found.length === 0 ? undefined : Math.max(...found.map(([, each]) => each));
};

type Reports = readonly PhaseReport[];
const silent = (all: Reports) => all.find(({ silence }) => silence !== undefined);
const besideLive = (all: Reports) => all.find((report) => report.besideLive !== undefined)?.besideLive;

/** Not measured where a store's process is not known. */
const cpuOfAll = (report: PhaseReport): number | undefined => {
  const known = Object.keys(report.cpuMs);
  return [...serviceNames, ...stores].every((name) => known.some(isOf(name)))
    ? cpuMsPerOp(report)
    : undefined;
};

/** Right answers of the storm for each of the usual heartbeats: what is left of the goodput at twice the rate. */
const goodput: Target['of'] = (report, all) => {
  const usual = all.find(
    ({ order }) => order.phase === 'heartbeat' && order.ratePerSec > idleRates.heartbeat,
  );
  return usual && achievedPerSec(report) / achievedPerSec(usual);
};

/** What must hold on two cores with everything on them. */
export const targets: readonly Target[] = [
  ...fastAnswers('start', 1_000, 60),
  ...fastAnswers('ott', 1_000, 60),
  ...fastAnswers('verify', 1_000, 60),
  {
    phase: 'verify',
    rate: idleRates.verify,
    what: 'p50, ms',
    is: 'at most',
    must: 15,
    of: ({ result }) => result.p50Ms,
  },
  { phase: 'verify', rate: idleRates.verify, ...p99, must: 40 },
  ...fastAnswers('heartbeat', 3_050, 37),
  { phase: 'heartbeat', what: 'CPU, ms', is: 'at most', must: 0.5, of: cpuOfAll },
  { phase: 'heartbeat', rate: idleRates.heartbeat, what: 'CPU, ms', is: 'at most', must: 4, of: cpuOfAll },
  {
    phase: 'heartbeat',
    ...{ what: 'Redis bytes a session', is: 'at most', must: 1_600 },
    of: ({ redisBytesPerSession }) => redisBytesPerSession,
  },
  ...fastAnswers('batch', 10_000, 250),
  { phase: 'storm', what: 'goodput at twice the rate', is: 'at least', must: 0.85, of: goodput },
  {
    phase: 'storm',
    ...{ what: 'ratio to the bare ceiling', is: 'at least', must: 0.12 },
    of: (report) => report.ceiling && achievedPerSec(report) / report.ceiling.perSec,
  },
  { phase: 'storm', ...p99, must: 150 },
  { phase: 'storm', ...wrong, must: 0 },
  { phase: 'storm', ...unanswered, must: 0 },
  { phase: 'mixed', ...perSec, must: 1_485 },
  { phase: 'mixed', ...wrong, must: 0 },
  { phase: 'mixed', ...unanswered, must: 0 },
  {
    phase: 'mixed',
    what: 'RSS of the largest service, MB',
    is: 'at most',
    must: 180,
    of: ({ rssMb }) => largestOf(rssMb),
  },
  {
    phase: 'mixed',
    ...{ what: 'RSS that one grew by in the second half, MB', is: 'at most', must: 9 },
    of: ({ rssGrownMb }) => largestOf(rssGrownMb),
  },
  { phase: 'end', ...perSec, must: 3_000 },
  { phase: 'end', ...notOk, must: 0 },
  {
    ...{ phase: 'heartbeat', rate: besideOthers.rate, what: '100,000 silent at once: swept, s' },
    ...{ is: 'at most', must: 10, of: (_report, all) => silent(all)?.silence?.sweptSec },
  },
  {
    ...{ phase: 'heartbeat', rate: besideOthers.rate, what: '100,000 silent at once: p99 of others, ms' },
    ...{ is: 'at most', must: 60, of: (_report, all) => silent(all)?.result.p99Ms },
  },
  {
    ...{ phase: 'heartbeat', rate: besideOthers.rate, what: '200,000 live: CPU, ratio to 2,000' },
    ...{ is: 'at most', must: 1.15, of: (_report, all) => besideLive(all)?.cpuRatio },
  },
];

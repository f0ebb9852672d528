import type { Aftermath } from './aftermath.ts';
import type { Ceiling } from './ceiling.ts';
import type { ServiceProfile } from './profile/profile-services.ts';
import type { PhaseOrder, PhaseResult } from './run-phase.ts';

type ByName = Readonly<Record<string, number>>;

/** What is known of a phase when it is over. */
export interface PhaseReport {
  readonly order: PhaseOrder;
  readonly result: PhaseResult;
  /** When it began to be measured, in ms since the epoch. */
  readonly openedAtMs?: number | undefined;
  readonly cpuMs: ByName;
  /** Of phases whose work goes on after them. */
  readonly after?: Aftermath | undefined;
  readonly rssMb: ByName;
  /** By how much that has grown in the second half of what was measured. */
  readonly rssGrownMb: ByName;
  readonly redisBytesPerSession?: number | undefined;
  readonly ceiling?: Ceiling | undefined;
  readonly profiles?: readonly ServiceProfile[] | undefined;
  /** Sessions that lived beside others meanwhile and said nothing, and what an operation cost then for what it costs without them. */
  readonly besideLive?: { readonly sessions: number; readonly cpuRatio: number } | undefined;
  /** Sessions that fell silent at once meanwhile, and how long after that the last of them was over, in seconds. */
  readonly silence?: { readonly sessions: number; readonly sweptSec: number } | undefined;
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
const each = (values: ByName, change: (value: number) => number): ByName =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

/** Right answers a second, while the phase was measured. */
export const achievedPerSec = ({ result }: PhaseReport): number => result.achieved / result.seconds;

/** Answers that must not be, to what was measured or to anything else that was sent for it; says so where there are any. */
export const wrongOf = (reports: readonly PhaseReport[], print: (line: string) => void): number => {
  const wrong = reports.reduce((sum, { result }) => sum + result.wrong + result.beside.wrong, 0);
  if (wrong > 0) print(`  ${wrong} answers were wrong, those beside what is measured among them`);
  return wrong;
};

/** The processes that are not the product. */
const tools = new Set(['generator', 'partner']);

/** CPU of all processes of the product for one operation, in ms. */
export const cpuMsPerOp = ({ cpuMs, result }: PhaseReport): number => {
  const all = Object.entries(cpuMs).filter(([name]) => !tools.has(name));
  return all.reduce((sum, [, ms]) => sum + ms, 0) / Math.max(1, result.achieved);
};

/** Right answers of a phase, its warm-up's too: what goes on after it goes on for all of them. */
const answeredIn = ({ slices }: PhaseResult): number =>
  slices.reduce((sum, { answered }) => sum + answered, 0);

/** The line of a phase. */
export const lineOf = (report: PhaseReport) => {
  const { order, result, cpuMs, after, rssMb, rssGrownMb, redisBytesPerSession, ceiling, silence } = report;
  const ms = (value: number) => rounded(value, 2);
  const perOp = (values: ByName, operations: number) =>
    each(values, (value) => rounded(value / Math.max(1, operations), 3));
  const achieved = achievedPerSec(report);
  return {
    phase: order.phase,
    offered_per_s: rounded(order.ratePerSec, 1),
    achieved_per_s: rounded(achieved, 1),
    ...{ ok: result.ok, wrong: result.wrong, errors: result.errors, reasons: result.reasons },
    ...{ p50_ms: ms(result.p50Ms), p99_ms: ms(result.p99Ms), p999_ms: ms(result.p999Ms) },
    launcher_beats_per_s: rounded(result.beside.launcherBeats / result.seconds, 1),
    ...{ max_ms: ms(result.maxMs), warmup_p99_ms: ms(result.warmUpP99Ms) },
    ...{ seconds: rounded(result.seconds, 1), sessions: order.sessions, connections: result.connections },
    cpu_ms_per_op: {
      all: rounded(cpuMsPerOp(report), 3),
      ...perOp(cpuMs, result.achieved),
    },
    ...(after && {
      after_s: rounded(after.seconds, 1),
      after_cpu_ms_per_op: perOp(after.cpuMs, answeredIn(result)),
    }),
    cpu_cores: each(cpuMs, (value) => rounded(value / (result.seconds * 1000), 2)),
    rss_mb: each(rssMb, (value) => Math.round(value)),
    rss_grown_mb: each(rssGrownMb, (value) => Math.round(value)),
    ...(redisBytesPerSession !== undefined && { redis_bytes_per_session: Math.round(redisBytesPerSession) }),
    ...(silence && { silent: silence.sessions, swept_s: rounded(silence.sweptSec, 1) }),
    ...(ceiling && {
      ceiling_per_s: Math.round(ceiling.perSec),
      ceiling_achieved_per_s: Math.round(ceiling.achievedPerSec),
      ratio_to_ceiling: rounded(achieved / ceiling.perSec, 3),
    }),
  };
};

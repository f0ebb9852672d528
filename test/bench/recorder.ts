import { isRefusal } from './answers.ts';
import type { Verdict } from './answers.ts';
import { createHistogram } from './histogram.ts';

/** One second of a phase: how many answers it brought, and the latency of the requests that were due in it. */
export interface Slice {
  readonly atSec: number;
  /** Before this phase was measured: it is drawn, and counts nowhere. */
  readonly isWarmUp: boolean;
  readonly answered: number;
  readonly notOk: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/**
 * What a phase brought. Requests are counted where they were due; `achieved` counts the right answers that came while it was measured.
 * Latencies are those of requests that were not refused: a refusal is fast, and would make the others look so.
 */
export interface Recorded {
  readonly ok: number;
  readonly wrong: number;
  readonly errors: number;
  readonly reasons: Readonly<Record<string, number>>;
  readonly achieved: number;
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  readonly warmUpP99Ms: number;
  readonly slices: readonly Slice[];
}

/** An interval that is measured, of performance.now. */
export interface Window {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Takes down what becomes of the requests of one phase. */
export interface Recorder {
  /** From now on requests that are due in this interval count; before it they warm up. */
  open(window: Window): void;
  record(intendedMs: number, answeredMs: number, verdicts: readonly Verdict[]): void;
  /** A request that was due and could not be sent: it counts, but has no latency. */
  miss(intendedMs: number, verdict: Verdict): void;
  result(): Recorded;
}

const maxReasons = 20;

const createSecond = () => ({ latencies: createHistogram(), answered: 0, notOk: 0, isWarmUp: true });

/** A recorder whose first second begins at `startMs`. */
export const createRecorder = (startMs: number): Recorder => {
  const [measured, warmUp] = [createHistogram(), createHistogram()];
  const counts = { ok: 0, wrong: 0, error: 0 };
  const reasons: Record<string, number> = {};
  const seconds = new Map<number, ReturnType<typeof createSecond>>();
  let window: Window = { fromMs: Infinity, untilMs: Infinity };
  let [achieved, requests] = [0, 0];
  const isIn = (ms: number): boolean => ms >= window.fromMs && ms < window.untilMs;
  const secondAt = (ms: number) => {
    const at = Math.floor((ms - startMs) / 1000);
    const known = seconds.get(at) ?? createSecond();
    seconds.set(at, known);
    return known;
  };
  const count = (verdicts: readonly Verdict[]): void => {
    for (const { outcome, why } of verdicts) {
      counts[outcome] += 1;
      if (outcome === 'ok') continue;
      const key = Object.hasOwn(reasons, why) || Object.keys(reasons).length < maxReasons ? why : 'others';
      reasons[key] = (reasons[key] ?? 0) + 1;
    }
  };
  return {
    open: (next) => void (window = next),
    record: (intendedMs, answeredMs, verdicts) => {
      const latencyMs = answeredMs - intendedMs;
      const right = verdicts.filter(({ outcome }) => outcome === 'ok').length;
      const [second, isMeasured] = [secondAt(intendedMs), isIn(intendedMs)];
      const isRefused = verdicts.length > 0 && verdicts.every(isRefusal);
      if (!isRefused) second.latencies.record(latencyMs);
      second.notOk += verdicts.length - right;
      second.isWarmUp = !isMeasured;
      secondAt(answeredMs).answered += right;
      if (isIn(answeredMs)) achieved += right;
      if (!isRefused) (isMeasured ? measured : warmUp).record(latencyMs);
      if (!isMeasured) return;
      requests += 1;
      count(verdicts);
    },
    miss: (intendedMs, verdict) => {
      secondAt(intendedMs).notOk += 1;
      if (isIn(intendedMs)) count([verdict]);
    },
    result: () => ({
      ...{ ok: counts.ok, wrong: counts.wrong, errors: counts.error, reasons, achieved },
      requests,
      ...{ p50Ms: measured.quantile(0.5), p99Ms: measured.quantile(0.99) },
      ...{ p999Ms: measured.quantile(0.999), maxMs: measured.maxMs },
      warmUpP99Ms: warmUp.quantile(0.99),
      slices: [...seconds]
        .sort(([a], [b]) => a - b)
        .map(([atSec, { latencies, answered, notOk, isWarmUp }]) => ({
          ...{ atSec, isWarmUp, answered, notOk },
          ...{ p50Ms: latencies.quantile(0.5), p99Ms: latencies.quantile(0.99), maxMs: latencies.maxMs },
        })),
    }),
  };
};

import { phases } from './phases.ts';
import type { PhaseReport } from './report.ts';
import type { Target } from './targets.ts';

/** A target, and what was measured; undefined where it was not. */
export interface Row {
  readonly target: Target;
  readonly measured: number | undefined;
  readonly holds: boolean;
}

const rateOf = ({ phase, rate }: Target): number => rate ?? phases[phase].ratePerSec;

/** Each target beside what was measured. One that was not measured does not hold. */
export const rowsOf = (targets: readonly Target[], reports: readonly PhaseReport[]): Row[] =>
  targets.map((target) => {
    const report = reports.find(
      ({ order }) => order.phase === target.phase && order.ratePerSec === rateOf(target),
    );
    const measured = report && target.of(report, reports);
    const holds =
      measured !== undefined &&
      (target.is === 'at least' ? measured >= target.must : measured <= target.must);
    return { target, measured, holds };
  });

const figure = (value: number | undefined): string => {
  if (value === undefined || !Number.isFinite(value)) return '—';
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toFixed(3)));
};

const columns = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, at) => (at < 2 || at === 4 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
    .join('  ');

/** The rows as lines of text. */
export const tableOf = (rows: readonly Row[]): string[] => {
  const name = (target: Target) => (target.rate ? `${target.phase}, ${target.rate}/s` : target.phase);
  const cells = rows.map(({ target, measured, holds }) => [
    name(target),
    target.what,
    figure(measured),
    `${target.is === 'at least' ? '≥' : '≤'} ${figure(target.must)}`,
    holds ? '✓' : '✗',
  ]);
  const all = [['phase', 'what', 'measured', 'must', ''], ...cells];
  const widths = [0, 1, 2, 3, 4].map((at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all.map((row) => `  ${columns(row, widths).trimEnd()}`);
};

import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BadOptions } from '../support/command-options.ts';
import type { Options } from './options.ts';
import { achievedPerSec, cpuMsPerOp, lineOf, wrongOf } from './report.ts';
import type { PhaseReport } from './report.ts';
import { benchOf } from './run-bench.ts';
import type { Bench, Run } from './run-bench.ts';
import { takeStack } from './the-stack.ts';

const root = resolve(import.meta.dirname, '../..');
const flags = ['--disable-warning=ExperimentalWarning', '--disable-warning=TimeoutNegativeWarning'];
type Print = (line: string) => void;

/** A checkout of the product and settings of its environment. */
export interface Side {
  readonly name: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Reads `../before`, `NAME=value OTHER=value`, or a folder and settings; `-` is this checkout as it stands. Throws BadOptions. */
export const sideOf = (text: string): Side => {
  const words = text.split(/\s+/).filter((word) => word !== '-' && word !== '');
  const pairs = words.filter((word) => /^[A-Z_0-9]+=/.test(word));
  const [folder = root, ...more] = words.filter((word) => !pairs.includes(word)).map((word) => resolve(word));
  if (more.length > 0 || !existsSync(join(folder, 'deploy/local/stack.ts')))
    throw new BadOptions(`--compare: ${text} is neither a checkout of this product nor NAME=value`);
  const entry = (pair: string) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
  return { name: text, folder, env: Object.fromEntries(pairs.map(entry)) as Record<string, string> };
};

/** A stack of one side's own, in a process that has its environment. */
const startSide = async ({ folder, env }: Side, dir: string): Promise<ChildProcess> => {
  const child = fork(join(import.meta.dirname, 'side.ts'), [folder, dir], {
    execArgv: flags,
    env: { ...process.env, RATE_LIMITS: 'off', ...env },
    cwd: folder,
  });
  const ended = once(child, 'exit').then(() =>
    Promise.reject(new Error(`the stack of ${folder} did not start`)),
  );
  await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => undefined);
  return child;
};

/** The middle one of some figures. */
export const medianOf = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [below, above] = [sorted[Math.ceil(middle) - 1] ?? NaN, sorted[Math.floor(middle)] ?? NaN];
  return (below + above) / 2;
};

const figures: Readonly<Record<string, (report: PhaseReport) => number>> = {
  achieved_per_s: achievedPerSec,
  p50_ms: ({ result }) => result.p50Ms,
  p99_ms: ({ result }) => result.p99Ms,
  cpu_ms_per_op: cpuMsPerOp,
};

/** Each figure: the medians of both sides, and the second's ratio to the first's. */
export const comparisonOf = (first: readonly PhaseReport[], second: readonly PhaseReport[]) =>
  Object.entries(figures).map(([what, figure]) => {
    const [a, b] = [medianOf(first.map(figure)), medianOf(second.map(figure))];
    return { what, a, b, ratio: b / a };
  });

/** Both sides by their names, and their figures. */
interface Comparison {
  readonly a: string | undefined;
  readonly b: string | undefined;
  readonly rows: ReturnType<typeof comparisonOf>;
}

/** The comparison as a line of JSON, and as lines for the terminal. */
export const printComparison = (comparison: Comparison, print: Print): void => {
  process.stdout.write(`${JSON.stringify(comparison)}\n`);
  for (const { what, a, b, ratio } of comparison.rows) {
    const [first, second] = [a, b].map((value) => value.toFixed(3).padStart(10));
    print(`  ${what.padEnd(16)} ${first} ${second}   × ${ratio.toFixed(3)}`);
  }
};

/** The phase that both sides are measured by, and its rate. */
export const singlePhase = ({ phase: [asked] = [], rate }: Options): Run => ({
  phase: asked?.phase ?? 'heartbeat',
  rate: asked?.rate ?? rate,
});

/** A B B A …: neither side always follows the other, so that what drifts is shared. */
export const inTurn = <T>(sides: readonly T[], slices: number): T[] =>
  Array.from({ length: slices }, (_, at) => (at % 2 === 0 ? sides : sides.toReversed())).flat();

interface Running {
  readonly side: Side;
  readonly bench: Bench;
  readonly reports: PhaseReport[];
}

const slice = async ({ side, bench, reports }: Running, options: Options, print: Print): Promise<void> => {
  const report = await bench.measure(singlePhase(options));
  reports.push(report);
  process.stdout.write(`${JSON.stringify({ side: side.name, ...lineOf(report) })}\n`);
  print(`  ${side.name}: ${achievedPerSec(report).toFixed(0)}/s, p99 ${report.result.p99Ms.toFixed(1)} ms`);
};

const measureBoth = async (running: readonly Running[], options: Options, print: Print): Promise<void> => {
  for (const { bench, side } of running) {
    print(`seating players at ${side.name}`);
    await bench.seat();
  }
  for (const each of inTurn(running, options.slices)) await slice(each, options, print);
};

/** Starts a stack for each of two settings and measures a phase on them in turn; prints the ratio of their medians. */
export const compareSides = async (options: Options, print: Print): Promise<number> => {
  const sides = (options.compare ?? []).map(sideOf);
  const dir = mkdtempSync(join(tmpdir(), 'gsb-bench-'));
  const children: ChildProcess[] = [];
  const running: Running[] = [];
  try {
    for (const [at, side] of sides.entries()) {
      const home = join(dir, String(at));
      print(`starting ${side.name}`);
      children.push(await startSide(side, home));
      const bench = await benchOf(takeStack(join(home, 'stack.json')), options, print);
      running.push({ side, bench, reports: [] });
    }
    await measureBoth(running, options, print);
    const [first, second] = running;
    const rows = comparisonOf(first?.reports ?? [], second?.reports ?? []);
    printComparison({ a: first?.side.name, b: second?.side.name, rows }, print);
    const all = running.flatMap(({ reports }) => reports);
    return wrongOf(all, print) === 0 ? 0 : 1;
  } finally {
    for (const { bench } of running) bench.stop();
    for (const child of children) child.disconnect();
    await Promise.all(
      children.filter(({ exitCode }) => exitCode === null).map((child) => once(child, 'exit')),
    );
    rmSync(dir, { recursive: true, force: true });
  }
};

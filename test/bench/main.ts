import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { measureBesideLive } from './beside-live.ts';
import { compareSides } from './compare.ts';
import { readOptions } from './options.ts';
import type { Options } from './options.ts';
import { phaseNames } from './phases.ts';
import type { PhaseName } from './phases.ts';
import { pictureOf } from './picture.ts';
import { lineOf, wrongOf } from './report.ts';
import type { PhaseReport } from './report.ts';
import { benchOf } from './run-bench.ts';
import type { Bench } from './run-bench.ts';
import { rowsOf, tableOf } from './table.ts';
import { elsewhere, idleRates, targets } from './targets.ts';
import { runProgram, usualStack } from './run-program.ts';
import { openSpanSink } from './span-sink.ts';
import { takeStack } from './the-stack.ts';

/** JSON goes to stdout, all the rest to stderr, so that a pipe gets the lines alone. */
const print = (line: string): void => void process.stderr.write(`${line}\n`);

/** Every phase once; verify and heartbeat also nearly idle. */
const everything = phaseNames.flatMap((phase): { phase: PhaseName; rate?: number }[] =>
  phase === 'verify' || phase === 'heartbeat' ? [{ phase, rate: idleRates[phase] }, { phase }] : [{ phase }],
);

const chosen = ({ all, phase = [{ phase: 'heartbeat', rate: undefined }], rate }: Options) =>
  all ? everything : phase.map((each) => ({ phase: each.phase, rate: each.rate ?? rate }));

const createResults = (folder: string) => {
  mkdirSync(folder, { recursive: true });
  const [lines, picture] = [join(folder, 'lines.jsonl'), join(folder, 'picture.html')];
  writeFileSync(lines, '');
  const reports: PhaseReport[] = [];
  return {
    reports,
    picture,
    add: (report: PhaseReport): void => {
      for (const [service, shares] of report.profiles ?? []) print(`  ${service.padEnd(18)}${shares}`);
      reports.push(report);
      const line = JSON.stringify(lineOf(report));
      appendFileSync(lines, `${line}\n`);
      process.stdout.write(`${line}\n`);
    },
  };
};

/** 0: no answer was wrong, and with `--all` everything that must hold does. */
const measureAll = async (bench: Bench, options: Options, folder: string): Promise<number> => {
  const results = createResults(folder);
  if (options.ceiling) {
    const { perSec, achievedPerSec, serverCores } = await bench.ceiling();
    const shown = [perSec, achievedPerSec].map((value) => Math.round(value).toLocaleString('en-US'));
    print(
      `a bare server answers ${shown[0]} a second on one core (${shown[1]}/s with ${serverCores.toFixed(2)} cores)`,
    );
  }
  for (const { phase, rate } of chosen(options)) {
    print(`${phase}${rate === undefined ? '' : ` at ${rate}/s`} for ${options.seconds} s`);
    await bench.measure(phase, rate).then(results.add, (error: unknown) => {
      if (!options.all) throw error;
      print(`  ! ${phase} was not measured: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  const rows = rowsOf(targets, results.reports);
  const table = options.all
    ? tableOf(rows, elsewhere)
    : tableOf(rows.filter(({ measured }) => measured !== undefined));
  writeFileSync(results.picture, pictureOf(results.reports, table));
  if (options.all) print(['', ...table].join('\n'));
  print(`\n  picture  ${results.picture}`);
  const wrong = wrongOf(results.reports, print);
  const holds = !options.all || rows.every((row) => row.holds);
  return wrong === 0 && holds ? 0 : 1;
};

const driveStack = async (options: Options): Promise<number> => {
  const path = options.stack ? resolve(options.stack) : usualStack;
  const stack = takeStack(path);
  process.once('exit', stack.leave);
  const bench = await benchOf(stack, options, print);
  try {
    const code = options.live
      ? await measureBesideLive(stack.facts, bench, options, print)
      : await measureAll(bench, options, join(dirname(path), 'bench'));
    await bench.leave();
    return code;
  } finally {
    bench.stop();
  }
};

await runProgram(async () => {
  const options = readOptions(process.argv.slice(2));
  const spans = await openSpanSink();
  try {
    const code = await (options.compare ? compareSides(options, print) : driveStack(options));
    print(spans.told());
    return code;
  } finally {
    spans.close();
  }
});

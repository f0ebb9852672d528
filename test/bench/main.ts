import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { measureBesideLive } from './beside-live.ts';
import type { Ceiling } from './ceiling.ts';
import { compareSides, singlePhase } from './compare.ts';
import { readOptions } from './options.ts';
import type { Options } from './options.ts';
import { phaseNames } from './phases.ts';
import { pictureOf } from './picture.ts';
import { lineOf, wrongOf } from './report.ts';
import type { PhaseReport } from './report.ts';
import { benchOf } from './run-bench.ts';
import type { Bench, Run } from './run-bench.ts';
import { rowsOf, tableOf } from './table.ts';
import { besideOthers, idleRates, mixedSec, targets } from './targets.ts';
import { runProgram, usualStack } from './run-program.ts';
import { openSpanSink } from './span-sink.ts';
import { takeStack } from './the-stack.ts';
import type { Driven } from './the-stack.ts';

/** JSON goes to stdout, all the rest to stderr, so that a pipe gets the lines alone. */
const print = (line: string): void => void process.stderr.write(`${line}\n`);

/** Nearly idle: when players have come and gone for minutes, and the herd of those who came at once is flat (D-55). */
const nearlyIdle: readonly Run[] = [
  { phase: 'verify', rate: idleRates.verify },
  { phase: 'heartbeat', rate: idleRates.heartbeat },
];

/** Every phase once, players who come and go for as long as memory is looked at, then nearly nobody, and others who fall silent. */
const everything = ({ seconds }: Options): Run[] => [
  ...phaseNames.flatMap((phase): readonly Run[] =>
    phase === 'mixed' ? [{ phase, seconds: Math.max(seconds, mixedSec) }, ...nearlyIdle] : [{ phase }],
  ),
  {
    phase: 'heartbeat',
    rate: besideOthers.rate,
    sessions: besideOthers.sessions,
    silent: besideOthers.silent,
  },
];

const chosen = (options: Options): Run[] => {
  const { all, phase = [{ phase: 'heartbeat', rate: undefined }], rate } = options;
  return all ? everything(options) : phase.map((each) => ({ phase: each.phase, rate: each.rate ?? rate }));
};

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

const printCeiling = ({ perSec, achievedPerSec, serverCores }: Ceiling): void => {
  const [most, achieved] = [perSec, achievedPerSec].map((value) => Math.round(value).toLocaleString('en-US'));
  print(
    `a bare server answers ${most} a second on one core (${achieved}/s with ${serverCores.toFixed(2)} cores)`,
  );
};

/** What is measured, said before it is. */
const titleOf = ({ phase, rate, seconds, silent }: Run, options: Options): string => {
  const others =
    silent === undefined ? '' : `, while ${silent.toLocaleString('en-US')} others fall silent at once`;
  return `${phase}${rate === undefined ? '' : ` at ${rate}/s`} for ${seconds ?? options.seconds} s${others}`;
};

/** With `--all` what cannot be measured is told, and does not hold. */
const measureAll = async (stack: Driven, bench: Bench, options: Options, folder: string): Promise<number> => {
  const results = createResults(folder);
  const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
    print(what);
    await work().catch((error: unknown) => {
      if (!options.all) throw error;
      print(`  ! not measured: ${error instanceof Error ? error.message : String(error)}`);
    });
  };
  if (options.ceiling) printCeiling(await bench.ceiling());
  for (const run of chosen(options))
    await attempt(titleOf(run, options), async () => results.add(await bench.measure(run)));
  if (options.all)
    await attempt(`heartbeat at ${besideOthers.rate}/s, alone and beside others who live`, async () => {
      const { rate, sessions, live } = besideOthers;
      const run = { phase: 'heartbeat', rate, sessions } as const;
      results.reports.push(...(await measureBesideLive(stack, bench, { run, live, slices: 2 }, print)));
    });
  const rows = rowsOf(targets, results.reports);
  const table = tableOf(options.all ? rows : rows.filter(({ measured }) => measured !== undefined));
  writeFileSync(results.picture, pictureOf(results.reports, table));
  if (options.all) print(['', ...table].join('\n'));
  print(`\n  picture  ${results.picture}`);
  const wrong = wrongOf(results.reports, print);
  return wrong === 0 && (!options.all || rows.every((row) => row.holds)) ? 0 : 1;
};

/** 0: no answer was wrong, and with `--all` everything that must hold does. */
const measure = async (stack: Driven, bench: Bench, options: Options, folder: string): Promise<number> => {
  const { live, slices, sessions } = options;
  if (live === undefined) return measureAll(stack, bench, options, folder);
  const run = { ...singlePhase(options), sessions };
  return wrongOf(await measureBesideLive(stack, bench, { run, live, slices }, print), print) === 0 ? 0 : 1;
};

const driveStack = async (options: Options): Promise<number> => {
  const path = options.stack ? resolve(options.stack) : usualStack;
  const stack = takeStack(path);
  process.once('exit', stack.leave);
  const bench = await benchOf(stack, options, print);
  try {
    const code = await measure(stack.facts, bench, options, join(dirname(path), 'bench'));
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

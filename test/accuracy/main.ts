import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { connectKafka } from '#libs/kafka/connection.ts';
import { createLog } from '#libs/runtime/log.ts';
import { onInterrupt } from '../../deploy/local/on-interrupt.ts';
import { Missing } from '../../deploy/local/progress.ts';
import { createRun } from '../../deploy/local/run.ts';
import type { Run } from '../../deploy/local/run.ts';
import { beginHistory, readHistory } from './history.ts';
import type { History, HistoryLine } from './history.ts';
import { commonInjections, createMoments, injectAll } from './inject.ts';
import { judge } from './judge/judge.ts';
import type { Verdict } from './judge/judge.ts';
import { limitSettings } from './limits.ts';
import { BadOptions } from '../support/command-options.ts';
import { readOptions } from './options.ts';
import type { Options } from './options.ts';
import { outageTable, outagesOf } from './outages.ts';
import { pictureOf } from './picture.ts';
import { playAll } from './play.ts';
import { batchLines } from './report-batches.ts';
import { headline, reportOf } from './report.ts';
import { scheduleOf, scheduleOfAsked } from './schedule.ts';
import { settleAll } from './settle.ts';
import { topologies } from './topologies.ts';
import { endRun } from '../support/end-run.ts';

const out = resolve(import.meta.dirname, '../../.local/accuracy');
const settleDeadlineMs = (minutes: number) => (minutes < 3 ? 75_000 : 180_000);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Services say on their own where they stand; of ours only problems are printed. */
const log = createLog({ service: 'accuracy', instance: 'accuracy', level: 'error' });

const playAndBreak = async (run: Run, dir: string, history: History, options: Options): Promise<void> => {
  const { seed, minutes, players, topology, faults } = options;
  const { kinds, start } = topologies[topology];
  const stack = await start({ dir, run, print, ports: 'free', settings: limitSettings }, options);
  const kafka = connectKafka({ brokers: stack.brokers, clientId: 'accuracy', log });
  const limits = limitSettings;
  history.add({ kind: 'run', seed, minutes, players, topology, began: history.beganAt, limits });
  print(`playing ${players} players for ${minutes} min, seed ${seed}:`);
  const plan = faults ? scheduleOfAsked(faults, minutes) : scheduleOf(seed, minutes, kinds);
  const injections = { ...commonInjections(stack.facts, kafka), ...stack.injections };
  const moments = createMoments();
  await Promise.all([
    playAll(stack.facts(), history, options, moments.onBatch),
    injectAll(injections, plan, { history, moments, print }),
  ]);
  print('everybody has left; waiting until the ledgers are closed');
  const deadlineMs = settleDeadlineMs(minutes);
  await settleAll({ ...stack, kafka, history, print, deadlineMs });
};

const judgeAndPrint = (lines: readonly HistoryLine[], path: string): Verdict => {
  const verdict = judge(lines);
  print('');
  reportOf(verdict).forEach(print);
  batchLines(lines).forEach(print);
  print('');
  outageTable(outagesOf(lines)).forEach(print);
  const picture = join(dirname(path), 'picture.html');
  writeFileSync(picture, pictureOf(lines, headline(verdict)));
  print(`\n  history  ${path}\n  picture  ${picture}`);
  return verdict;
};

/** 0: every promise was kept. 1: one was not. 2: this machine was too slow to tell. 3, below: what was asked for cannot be done. */
const codeOf = ({ ok, tooSlow }: Verdict): number => (tooSlow ? 2 : ok ? 0 : 1);

const runAndJudge = async (options: Options): Promise<number> => {
  const home = join(out, `seed-${options.seed}`);
  mkdirSync(home, { recursive: true });
  const dir = mkdtempSync(join(tmpdir(), 'gsb-accuracy-'));
  const run = createRun(dir);
  const end = () => (process.env['KEEP'] === undefined ? endRun(run) : run.stop());
  onInterrupt(end);
  const path = join(home, 'history.jsonl');
  const history = beginHistory(path);
  try {
    await playAndBreak(run, dir, history, options);
  } finally {
    await Promise.all([end(), history.close()]);
  }
  return codeOf(judgeAndPrint(history.lines, path));
};

/** Something that the person at the terminal has to mend. */
const isToMend = (error: unknown): error is Error => error instanceof Missing || error instanceof BadOptions;

const explain = (error: unknown): string => {
  if (isToMend(error)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};

try {
  const options = readOptions(process.argv.slice(2));
  const { judge: file } = options;
  process.exitCode = file
    ? codeOf(judgeAndPrint(readHistory(file), resolve(file)))
    : await runAndJudge(options);
} catch (error) {
  print(explain(error));
  process.exitCode = isToMend(error) ? 3 : 1;
}

import { parseArgs } from 'node:util';
import { claim, inUse } from '../support/cluster-program.ts';
import { dryRun, findApiServer } from './api-server.ts';
import { differences } from './compare.ts';
import { untold } from './covered.ts';
import { documented } from './documented.ts';
import { drift } from './drift.ts';
import { compareGolden } from './golden.ts';
import { jobNames } from './job-names.ts';
import { lint, unittest } from './lint.ts';
import { judgeRules } from './observability.ts';
import { outsideRoutes } from './outside-routes.ts';
import { judge } from './policies/all.ts';
import { previousValues } from './previous-values.ts';
import { missingPrograms, onPath } from './programs.ts';
import { cases, render } from './renders.ts';
import type { Render } from './renders.ts';
import { score } from './score.ts';
import { toldCommands } from './told-commands.ts';

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const mostShown = 40;
let failed = 0;

const step = async (what: string, work: () => Promise<string[]> | string[]): Promise<void> => {
  const started = performance.now();
  const problems = await work();
  const took = ((performance.now() - started) / 1000).toFixed(1);
  print(`${problems.length === 0 ? '✓' : '✗'} ${what} (${took} s)`);
  for (const problem of problems.slice(0, mostShown)) print(`    ${problem.replaceAll('\n', '\n    ')}`);
  if (problems.length > mostShown) print(`    … and ${problems.length - mostShown} more`);
  if (problems.length > 0) failed += 1;
};

const objectsOf = (renders: readonly Render[], wanted: string) =>
  renders.find(({ name }) => name === wanted)?.objects ?? [];

/** An intended difference is a number, a name or an address; a switch would be another topology. */
const showLiveVersusQa = (renders: readonly Render[]): string[] => {
  const lines = differences(objectsOf(renders, 'qa'), objectsOf(renders, 'live'));
  const telling = lines.filter((line) => !line.includes('gsb.dev/environment'));
  const isHeading = (line: string | undefined) => line !== undefined && !line.startsWith(' ');
  print('\nlive versus qa:');
  telling.forEach((line, at) => {
    if (!isHeading(line) || (telling[at + 1] !== undefined && !isHeading(telling[at + 1])))
      print(`  ${line}`);
  });
  print('');
  return lines
    .filter((line) => /^[+-] /.test(line))
    .map((line) => `${line.slice(2)} stands in only one of qa and live: qa must have the topology of live`);
};

const howToAsk =
  'Name a cluster by KUBECONFIG, or by GSB_CLUSTER a program that brings one up (tools, status, up --control-plane-only, crds, env, down)';

const askApiServer = async (renders: readonly Render[]): Promise<void> => {
  const canAsk = onPath('kubectl') || process.env['GSB_CLUSTER'] !== undefined;
  const server = canAsk ? await findApiServer() : undefined;
  if (server === undefined) {
    const why = canAsk ? howToAsk : 'kubectl is not on the PATH';
    print(`! NOT DONE: kubectl apply --dry-run=server. ${why}`);
    return;
  }
  let notes: string[] = [];
  let asked = 0;
  try {
    await step('an API server takes every object of every render', async () => {
      const result = await dryRun(server, renders);
      [notes, asked] = [result.notes, result.asked];
      return result.problems;
    });
  } finally {
    await server.close();
  }
  print(`    ${asked} different objects`);
  for (const note of notes) print(`! NOT DONE: ${note}`);
};

const isAlone = (process.env['GSB_CLUSTER'] ?? '') === '' || (await claim('cluster'));
const missing = [...(await missingPrograms()), ...(isAlone ? [] : [inUse])];
if (missing.length > 0) {
  for (const line of missing) process.stderr.write(`test:charts: ${line}\n`);
  process.exit(1);
}
const { update } = parseArgs({ options: { update: { type: 'boolean', default: false } } }).values;
const renders: Render[] = [];
await step('generated files are what they are made from', () => drift(update));
await step('every template and every guard has a test', untold);
await step('helm lint --strict', lint);
let tests = '';
await step('helm-unittest', async () => {
  const result = await unittest();
  tests = result.tests;
  return result.problems;
});
print(`    ${tests}`);
await step('every case renders', async () => {
  const results = await Promise.allSettled(cases().map(render));
  renders.push(...results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
  return results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
});
print(
  `    ${renders.length} renders, ${renders.reduce((sum, { objects }) => sum + objects.length, 0)} objects`,
);
await step('what INSTALL.md tells a site to write renders in live', documented);
await step('values files of earlier versions work, or are told what to write', previousValues);
await step('every render is what was agreed on', () => compareGolden(renders, update));
await step('every render keeps the policies', () =>
  renders.flatMap(({ name, objects }) => judge(objects).map((problem) => `${name}: ${problem}`)),
);
await step('every path that is called from outside has a route', outsideRoutes);
await step('what operators are told to run is there', () => toldCommands(renders));
await step('a Job that differs has another name', jobNames);
await step('kube-score', async () => (await Promise.all(renders.map(score))).flat());
await step('promtool: rules are right, each alert fires and rests', judgeRules);
if (!onPath('promtool'))
  print('! NOT DONE: promtool check rules and test rules. promtool is not on the PATH');
await step('qa has the topology of live', () => showLiveVersusQa(renders));
await askApiServer(renders);
print(failed === 0 ? '\nThe charts are right.' : `\n${failed} steps failed; see ✗ above.`);
process.exit(failed === 0 ? 0 : 1);

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settleAll } from '#libs/runtime/wait.ts';
import { onPath, run as programRuns } from '../charts/programs.ts';
import { onInterrupt } from '../../deploy/local/on-interrupt.ts';
import { removeFolder } from '../../deploy/local/run-file.ts';
import { createRun } from '../../deploy/local/run.ts';
import type { Run } from '../../deploy/local/run.ts';
import { claim, inUse } from '../support/cluster-program.ts';
import { ledgersAgree } from './compare-ledgers.ts';
import { createCallers } from './callers.ts';
import { seatPlayers } from './load.ts';
import { readPlace } from './place.ts';
import type { Place } from './place.ts';
import { keepState } from './keep-state.ts';
import { createRelease, prepareNamespace, removeRelease } from './release.ts';
import type { ContextWithoutPlayers, ClusterContext } from './cluster-context.ts';
import { autoscale } from './steps/autoscaling.ts';
import { refuseBadGames } from './steps/bad-games.ts';
import { disrupt } from './steps/disruption.ts';
import { followTheDocument } from './steps/install-commands.ts';
import { install } from './steps/install.ts';
import { rotateKeys } from './steps/keys.ts';
import { kill } from './steps/kill.ts';
import { listManyCafes } from './steps/many-cafes.ts';
import { missASecret } from './steps/missing-secret.ts';
import { loseStores } from './steps/lost-stores.ts';
import { operate, operateByRights } from './steps/operators.ts';
import { playFromOutside } from './steps/outside-journey.ts';
import { changeReleases } from './steps/previous-release.ts';
import { rollOut } from './steps/rollouts.ts';
import { rotatePasswords } from './steps/rotate-passwords.ts';
import { scaleOut } from './steps/scale-out.ts';
import { startWithoutStores } from './steps/stores-away.ts';
import { uninstall } from './steps/uninstall.ts';
import { startStores } from './stores.ts';
import { Broken, createStepReport } from './step-report.ts';
import type { StepReport } from './step-report.ts';

const playerCount = 6;

const raise = async (run: Run, place: Place, report: StepReport): Promise<ContextWithoutPlayers> => {
  let context: ContextWithoutPlayers | undefined;
  await report.step('Kafka, Redis, Postgres and the partner simulator stand beside the cluster', async () => {
    const stores = await startStores(run, place);
    const release = createRelease(stores, place, run.dir);
    context = { run, place, stores, release, report, callers: createCallers(stores, place), sessions: [] };
    return undefined;
  });
  if (context === undefined) throw new Broken('nothing to test with');
  const { stores } = context;
  await report.step('a namespace enforces restricted; CRD, Games, Secrets are applied', () =>
    prepareNamespace(stores).then(() => undefined),
  );
  return context;
};

/** What is done to a release while six players sit through it. */
const whilePlayersSit = {
  rollouts: rollOut,
  'missing-secret': missASecret,
  disruption: disrupt,
  kill,
  autoscaling: autoscale,
  'scale-out': scaleOut,
  'previous-release': changeReleases,
  'stores-away': startWithoutStores,
} as const;
/** What is done when they have left. */
const afterwards = {
  operators: operateByRights,
  'many-cafes': listManyCafes,
  'lost-stores': loseStores,
  passwords: rotatePasswords,
  document: followTheDocument,
} as const;

/** The parts of the test, by name. */
export const parts = [...Object.keys(whilePlayersSit), ...Object.keys(afterwards)];
/** Those that take minutes each, and are played by hand. */
const long: ReadonlySet<string> = new Set([
  'scale-out',
  'previous-release',
  'stores-away',
  ...Object.keys(afterwards),
]);

/** Which parts are played: those that CI has time for, all, or some by name. */
export interface Extent {
  readonly long: boolean;
  readonly only: readonly string[];
}

const isPlayed = (part: string, extent: Extent): boolean =>
  extent.only.length === 0 ? extent.long || !long.has(part) : extent.only.includes(part);

const troubleThem = async (context: ClusterContext, extent: Extent): Promise<void> => {
  const { report, players, sessions } = context;
  for (const [part, play] of Object.entries(whilePlayersSit)) if (isPlayed(part, extent)) await play(context);
  await report.step('the players leave', async () => {
    sessions.push(...players.sessions);
    await players.leave();
    return undefined;
  });
};

const test = async (context: ContextWithoutPlayers, extent: Extent): Promise<void> => {
  const { report, stores, sessions, callers } = context;
  await refuseBadGames(context);
  if (!(await install(context))) return;
  await playFromOutside(context);
  await operate(context);
  await rotateKeys(context);
  let players: ClusterContext['players'] | undefined;
  await report.step(`${playerCount} players sit down and stay`, async () => {
    players = await seatPlayers(callers, playerCount);
    return undefined;
  });
  if (players !== undefined) await troubleThem({ ...context, players }, extent);
  for (const [part, play] of Object.entries(afterwards)) if (isPlayed(part, extent)) await play(context);
  await report.step('settlement adds up', () => ledgersAgree(stores, sessions));
  await uninstall(context);
};

const whereTo =
  'Name a cluster by KUBECONFIG, with kubectl and helm on the PATH, or by GSB_CLUSTER a program that brings one up (tools, status, up, env, run, image, down)';

/** Whether there is a cluster to ask; says so when there is none. */
const hasCluster = async (print: (line: string) => void): Promise<boolean> => {
  const programs = onPath('kubectl') && onPath('helm');
  const answers = programs && (await programRuns('kubectl', ['version', '--request-timeout=5s'])).code === 0;
  if (!answers) print(`No cluster answers. ${whereTo}`);
  return answers;
};

/** The whole test on the cluster of KUBECONFIG; the exit code. */
export const testInside = async (print: (line: string) => void, extent: Extent): Promise<number> => {
  if (!(await hasCluster(print))) return 1;
  if (!(await claim('namespace'))) {
    print(inUse);
    return 1;
  }
  const place = readPlace(process.env);
  const run = createRun(mkdtempSync(join(tmpdir(), 'gsb-cluster-')));
  let ending: Promise<unknown> | undefined;
  const report = createStepReport(
    (line) => void (ending ?? print(line)),
    () => keepState(join(run.dir, 'logs')),
  );
  const end = () => (ending ??= settleAll([run.stop(), removeRelease()]));
  onInterrupt(() => {
    if (ending === undefined) print('Interrupted: what was begun is ended');
    return end().finally(() => removeFolder(run.dir));
  });
  try {
    await removeRelease();
    await test(await raise(run, place, report), extent);
    report.printFigures();
  } catch (error) {
    await report.step('the test was played to its end', () => Promise.reject(error));
  }
  const isLeft = (error: unknown): number => {
    print(`✗ the cluster still has something of the test: ${String(error)}`);
    return 1;
  };
  const broken = report.broken() + (await end().then(() => 0, isLeft));
  if (broken === 0) removeFolder(run.dir);
  const kept = `how things stood at the first is in ${join(run.dir, 'logs')}`;
  print(broken === 0 ? '\nEvery step held.' : `\n${broken} broken; ${kept}.`);
  return broken === 0 ? 0 : 1;
};

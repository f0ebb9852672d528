import { sleep } from '#libs/runtime/wait.ts';
import { killed } from '../kill.ts';
import { partsOf, podsOf } from '../pods.ts';
import type { Pod } from '../pods.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { Broken, must, within } from '../step-report.ts';
import { playsAgain, underLoad } from '../under-load.ts';
import { twoPods } from './disruption.ts';
import { nobodyLost, shown } from './rollouts.ts';

/**
 * One of two, and two that stand alone: what they had in hand is taken up again. And what may fail until it is: what waits on a socket of the process,
 * or for its answer (FAULTS.md).
 */
const mayFail: Readonly<Record<string, readonly string[]>> = {
  'game-session': ['verify', 'heartbeat', 'end'],
  'billing-adapter': ['session start', 'verify'],
  settlement: [],
};
const requestsPerSec = 20;
const loadBeforeMs = 2_000;
const readyDeadlineSec = 120;

/** How many pods are ready, without the victim as it was: one that was started again counts, and so does one in its place. */
const readyBeside = async (part: string, victim: Pod): Promise<number> => {
  const isAsItWas = (pod: Pod) =>
    pod.metadata.name === victim.metadata.name && partsOf(pod).restarts === partsOf(victim).restarts;
  return (await podsOf(part)).filter((pod) => partsOf(pod).ready && !isAsItWas(pod)).length;
};

const killOneOf = async (part: string): Promise<string> => {
  const pods = await podsOf(part);
  const [victim] = pods;
  if (victim === undefined) throw new Broken(`no pod of ${part}`);
  const how = await killed(victim);
  const { tookSec } = await within(
    readyDeadlineSec,
    `${part} ready again`,
    () => readyBeside(part, victim),
    (count) => count === pods.length,
  );
  return `${how}, ready again ${tookSec.toFixed(1)} s later`;
};

const killUnderLoad = async (context: ClusterContext, part: string): Promise<string> => {
  const { players, sessions } = context;
  const { found, load } = await underLoad(context, requestsPerSec, async () => {
    await sleep(loadBeforeMs);
    return killOneOf(part);
  });
  sessions.push(...load.sessions);
  const againSec = await playsAgain(context, `play without a failure after the kill of ${part}`);
  const failed = [...load.failed, ...players.failed.splice(0)];
  const others = failed.filter(({ what }) => mayFail[part]?.includes(what) !== true);
  must(others.length === 0, `${others.length} failed that may not:\n${shown(others)}`);
  const before = `${failed.length} failed, of ${load.requests} and of those who sit`;
  return `${found}; ${before}, and none of the load that ended ${againSec.toFixed(1)} s after that`;
};

/** Processes die in the middle of their work: sessions live, and no second is lost, which the ledgers show at the end. */
export const kill = async (context: ClusterContext): Promise<void> => {
  const { report } = context;
  await twoPods(context);
  for (const part of Object.keys(mayFail))
    await report.step(`under load: a process of ${part} is killed with -9`, () =>
      killUnderLoad(context, part),
    );
  await report.step('sessions live on after kill -9', () => nobodyLost(context));
};

import { killed } from '../kill.ts';
import { startLoad } from '../load.ts';
import { partsOf, podsOf } from '../pods.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { within } from '../step-report.ts';
import { nobodyLost } from './rollouts.ts';

/** One of two, and two that stand alone: what they had in hand is taken up again. */
const victims = ['game-session', 'billing-adapter', 'settlement'];
const requestsPerSec = 20;
const loadBeforeMs = 2_000;

const restartsOf = async (part: string): Promise<number> =>
  (await podsOf(part)).reduce((sum, pod) => sum + partsOf(pod).restarts, 0);

const allReady = async (part: string): Promise<boolean> =>
  (await podsOf(part)).every((pod) => partsOf(pod).ready);

const killOneOf = async (part: string): Promise<string> => {
  const [pod] = await podsOf(part);
  if (pod === undefined) throw new Error(`no pod of ${part}`);
  const before = await restartsOf(part);
  const how = await killed(pod);
  if (how === 'SIGKILL')
    await within(
      60,
      `${part} restarted`,
      () => restartsOf(part),
      (count) => count === before + 1,
    );
  const { tookSec } = await within(
    60,
    `${part} ready again`,
    () => allReady(part),
    (ready) => ready,
  );
  return `${part} (${how}, ready again ${tookSec.toFixed(1)} s after its restart)`;
};

/** Processes die in the middle of their work: sessions live, and no second is lost, which the ledgers show at the end. */
export const kill = async (context: ClusterContext): Promise<void> => {
  const { report, players, callers, sessions } = context;
  await report.step('processes are killed with -9 under load', async () => {
    const load = startLoad(callers, requestsPerSec);
    await new Promise((resolve) => setTimeout(resolve, loadBeforeMs));
    const summary: string[] = [];
    for (const part of victims) summary.push(await killOneOf(part));
    const { sessions: played, requests, failed } = await load.stop();
    sessions.push(...played);
    return `${summary.join(', ')}; ${failed.length} of ${requests} requests failed meanwhile`;
  });
  await report.step('sessions live on after kill -9', async () => {
    const missed = players.failed.splice(0);
    const summary = await nobodyLost(context);
    return `${summary}; ${missed.length} of their heartbeats failed at the moment of the kill`;
  });
};

import { ledger } from '../compare-ledgers.ts';
import { jobsDone } from '../jobs.ts';
import { startLoad } from '../load.ts';
import type { Report } from '../load.ts';
import { leavingPods } from '../pods.ts';
import { kubectl } from '../programs.ts';
import type { Stage } from '../cluster-release.ts';
import { must, seconds, within } from '../step-report.ts';

const requestsPerSec = 50;
const shownFailures = 12;
/** The longest grace period of a pod. */
const drainedSec = 45;

const tellReport = ({ teller }: Stage, name: string, report: Report): string => {
  const { requests, seconds: tookSec, p50Ms, p99Ms, slowestMs } = report;
  const rate = `${(requests / tookSec).toFixed(0)}/s`;
  const times = `p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms, slowest ${slowestMs.toFixed(0)} ms`;
  teller.figure(name, `${requests} requests in ${seconds(tookSec)} (${rate}), ${times}`);
  return `${requests} requests (${rate}), ${times}`;
};

/** A load that must come out without one wrong answer; its sessions go to the books. */
export const judgeLoad = (stage: Stage, name: string, report: Report): string => {
  stage.sessions.push(...report.sessions);
  const told = tellReport(stage, name, report);
  const { failed } = report;
  const more = failed.length > shownFailures ? `\n… and ${failed.length - shownFailures} more` : '';
  must(
    failed.length === 0,
    `${failed.length} failed of ${told}\n${failed.slice(0, shownFailures).join('\n')}${more}`,
  );
  return told;
};

/** All who sat down before still play. */
export const nobodyLost = async ({ players }: Stage): Promise<string> => {
  const lost = await players.lost();
  must(lost.length === 0, `${lost.length} lost: ${lost.join(' ')}`);
  must(players.failed.length === 0, players.failed.slice(0, shownFailures).join('\n'));
  return `${players.sessions.length} players play on`;
};

const timed = (stage: Stage, what: string, work: () => Promise<unknown>) =>
  stage.teller.step(`under load: ${what}`, async () => {
    const began = performance.now();
    await work();
    stage.teller.figure(`${what}, under load`, seconds((performance.now() - began) / 1000));
    const { tookSec } = await within(drainedSec, 'the old pods gone', leavingPods, (count) => count === 0);
    return `old pods gone ${tookSec.toFixed(1)} s later`;
  });

const restartAll = async (): Promise<void> => {
  await kubectl(['rollout', 'restart', 'deployment']);
  await kubectl(['rollout', 'status', 'deployment', '--timeout=240s']);
};

/** A new version, back again, and a restart of all, while fifty requests a second come in. */
export const rollOut = async (stage: Stage): Promise<void> => {
  const { teller, callers, release, place, stores } = stage;
  const load = startLoad(callers, requestsPerSec);
  const lines = (await ledger(stores.postgres.url)).length;
  const migrations = (await jobsDone('migrate')).length;
  await timed(stage, 'helm upgrade to a new tag', () => release.upgrade(place.GSB_NEXT_IMAGE.tag));
  await timed(stage, 'helm rollback', () => release.rollback());
  await timed(stage, 'kubectl rollout restart of every service', restartAll);
  await teller.step(`under load of ${requestsPerSec}/s: no request failed`, async () =>
    judgeLoad(stage, 'the load meanwhile', await load.stop()),
  );
  await teller.step('no session was lost', () => nobodyLost(stage));
  await teller.step('the migrations ran again and did no harm', async () => {
    const again = (await jobsDone('migrate')).length - migrations;
    must(again > 0, 'they did not run again');
    const now = (await ledger(stores.postgres.url)).length;
    must(now >= lines, `${lines} lines in the ledger before, ${now} now`);
    return undefined;
  });
};

import { ledger } from '../compare-ledgers.ts';
import { jobsDone } from '../jobs.ts';
import { startLoad } from '../load.ts';
import type { Failure, Report } from '../load.ts';
import { drainedSec, leavingPods } from '../pods.ts';
import { kubectl } from '../programs.ts';
import type { ClusterContext, ContextWithoutPlayers } from '../cluster-context.ts';
import { Broken, must, seconds, within } from '../step-report.ts';

const requestsPerSec = 50;
const shownFailures = 12;

const printLoad = ({ report }: ContextWithoutPlayers, name: string, load: Report): string => {
  const { requests, seconds: tookSec, p50Ms, p99Ms, slowestMs } = load;
  const rate = `${(requests / tookSec).toFixed(0)}/s`;
  const times = `p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms, slowest ${slowestMs.toFixed(0)} ms`;
  report.figure(name, `${requests} requests in ${seconds(tookSec)} (${rate}), ${times}`);
  return `${requests} requests (${rate}), ${times}`;
};

/** Failures as they are printed: the first of them. */
export const shown = (failed: readonly Failure[]): string => {
  const more = failed.length > shownFailures ? `\n… and ${failed.length - shownFailures} more` : '';
  return `${failed
    .slice(0, shownFailures)
    .map(({ text }) => text)
    .join('\n')}${more}`;
};

/** A load that must come out without one wrong answer; its sessions are compared in the ledgers at the end. */
export const judgeLoad = (context: ContextWithoutPlayers, name: string, load: Report): string => {
  context.sessions.push(...load.sessions);
  const summary = printLoad(context, name, load);
  const { failed, sessions } = load;
  must(failed.length === 0, `${failed.length} failed of ${summary}\n${shown(failed)}`);
  must(sessions.length > 0, `nobody played: ${summary}`);
  return summary;
};

/** All who sat down before still play. */
export const nobodyLost = async ({ players }: ClusterContext): Promise<string> => {
  const lost = await players.lost();
  must(lost.length === 0, `${lost.length} lost: ${lost.join(' ')}`);
  must(players.failed.length === 0, shown(players.failed));
  return `${players.sessions.length} players play on`;
};

const timed = (context: ClusterContext, what: string, work: () => Promise<unknown>) =>
  context.report.step(`under load: ${what}`, async () => {
    const began = performance.now();
    await work();
    context.report.figure(`${what}, under load`, seconds((performance.now() - began) / 1000));
    const { tookSec } = await within(drainedSec, 'the old pods gone', leavingPods, (count) => count === 0);
    return `old pods gone ${tookSec.toFixed(1)} s later`;
  });

const restartAll = async (): Promise<void> => {
  await kubectl(['rollout', 'restart', 'deployment']);
  await kubectl(['rollout', 'status', 'deployment', '--timeout=240s']);
};

/** What is in the ledger, and how often it was migrated. */
const written = async ({ stores }: ClusterContext) => ({
  lines: await ledger(stores.postgres.url),
  migrations: (await jobsDone('migrate')).length,
});
type Written = Awaited<ReturnType<typeof written>>;

const judgeMigrations = (before: Written | undefined, now: Written): undefined => {
  if (before === undefined) throw new Broken('nobody knows what was in the ledger before');
  must(now.migrations > before.migrations, 'they did not run again');
  const kept = new Map(now.lines.map(({ id, ours }) => [id, ours]));
  const changed = before.lines.filter(({ id, ours }) => kept.get(id) !== ours);
  must(changed.length === 0, `no more in the ledger as they were: ${changed.map(({ id }) => id).join(' ')}`);
};

/** A new version, back again, and a restart of all, while fifty requests a second come in. */
export const rollOut = async (context: ClusterContext): Promise<void> => {
  const { report, callers, release, place } = context;
  let before: Written | undefined;
  await report.step('the ledger has what was played so far', async () => {
    before = await written(context);
    must(before.lines.length > 0, 'the ledger is empty');
    return `${before.lines.length} sessions`;
  });
  const load = startLoad(callers, requestsPerSec);
  await timed(context, 'helm upgrade to a new tag', () => release.upgrade(place.GSB_NEXT_IMAGE.tag));
  await timed(context, 'helm rollback', () => release.rollback());
  await timed(context, 'kubectl rollout restart of every service', restartAll);
  await report.step(`under load of ${requestsPerSec}/s: no request failed`, async () =>
    judgeLoad(context, 'the load meanwhile', await load.stop()),
  );
  await report.step('no session was lost', () => nobodyLost(context));
  await report.step('the migrations ran again and did no harm', async () =>
    judgeMigrations(before, await written(context)),
  );
};

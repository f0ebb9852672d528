import { sleep } from '#libs/runtime/wait.ts';
import type { ContextWithoutPlayers } from './cluster-context.ts';
import { startLoad } from './load.ts';
import type { Report } from './load.ts';
import { within } from './step-report.ts';
import { judgeLoad } from './steps/rollouts.ts';

const requestsPerSec = 20;
const loadMs = 6_000;
const shortLoadMs = 1_000;
const againDeadlineSec = 90;

/** Works under a load of so many requests a second; what came of both. The load ends whatever comes of the work, whose error is thrown. */
export const underLoad = async <T>(
  { callers }: Pick<ContextWithoutPlayers, 'callers'>,
  perSec: number,
  work: () => Promise<T>,
): Promise<{ readonly found: T; readonly load: Report }> => {
  const running = startLoad(callers, perSec);
  const [done] = await Promise.allSettled([work()]);
  const load = await running.stop();
  if (done.status === 'rejected') throw done.reason;
  return { found: done.value, load };
};

/** Whole visits, none of which fails; they are in the books at the end. */
export const playWithoutFailure = async (context: ContextWithoutPlayers, when: string): Promise<string> => {
  const { load } = await underLoad(context, requestsPerSec, () => sleep(loadMs));
  return judgeLoad(context, `the load ${when}`, load);
};

/** Plays short loads until one has no wrong answer; how long that took, in seconds. Throws Broken with the failures of the last. */
export const playsAgain = async (context: ContextWithoutPlayers, what: string): Promise<number> => {
  const play = async () => {
    const { load } = await underLoad(context, requestsPerSec, () => sleep(shortLoadMs));
    context.sessions.push(...load.sessions);
    return load.failed;
  };
  const { tookSec } = await within(againDeadlineSec, what, play, (failed) => failed.length === 0);
  return tookSec;
};

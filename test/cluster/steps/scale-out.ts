import { serviceNames } from '#libs/contracts/topics.ts';
import { startLoad } from '../load.ts';
import { leavingPods, drainedSec, readyOf } from '../pods.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { within } from '../step-report.ts';
import { judgeLoad, nobodyLost } from './rollouts.ts';

const most = 6;
const partitions = 12;
/** Few: thirty processes start and run on the cores of one node. */
const requestsPerSec = 10;
/** Thirty pods on one node: they ask for little, and are given what there is. */
const small = ['defaults.resources.requests.cpu=10m', 'defaults.resources.requests.memory=64Mi'];

const ready = (part: string, count: number) =>
  within(
    180,
    `${count} of ${part} ready`,
    () => readyOf(part),
    (found) => found === count,
  );

/** Every service grows to six pods, one after the other, with four times as many partitions, and back to one, while people play. */
export const scaleOut = async (context: ClusterContext): Promise<void> => {
  const { report, release, place, callers } = context;
  const settings = [...small, `kafka.partitions=${partitions}`];
  const load = startLoad(callers, requestsPerSec);
  await report.step(`under load: topics grow to ${partitions} partitions`, () =>
    release.upgrade(place.GSB_IMAGE.tag, settings).then(() => undefined),
  );
  for (const part of serviceNames)
    await report.step(`under load: ${part} goes from 1 to ${most} pods`, async () => {
      settings.push(`services.${part}.replicas=${most}`);
      await release.upgrade(place.GSB_IMAGE.tag, settings);
      const { tookSec } = await ready(part, most);
      return `${tookSec.toFixed(1)} s after the upgrade`;
    });
  await report.step('and all of them back to one', async () => {
    await release.upgrade(place.GSB_IMAGE.tag, settings.slice(0, small.length + 1));
    for (const part of serviceNames) await ready(part, 1);
    await within(drainedSec, 'the old pods gone', leavingPods, (count) => count === 0);
    return undefined;
  });
  await report.step(
    `under load of ${requestsPerSec}/s: no request failed while they grew and shrank`,
    async () => judgeLoad(context, 'the load while all grew and shrank', await load.stop()),
  );
  await report.step('sessions survived', () => nobodyLost(context));
};

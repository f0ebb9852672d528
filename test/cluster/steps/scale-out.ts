import { serviceNames, topics } from '#libs/contracts/topics.ts';
import { startLoad } from '../load.ts';
import { leavingPods, drainedSec, readyOf } from '../pods.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { must, within } from '../step-report.ts';
import { partitionsOf } from '../topic-partitions.ts';
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

/** Topics that have as many partitions as were asked for, of those that may have several. */
const grown = async (brokers: string[]): Promise<string> => {
  const found = await partitionsOf(brokers);
  const growing = Object.entries(topics).filter(([, topic]) => topic.partitions > 1);
  const wrong = growing.filter(([name]) => found.get(name) !== partitions);
  must(wrong.length === 0, wrong.map(([name]) => `${name} has ${found.get(name) ?? 0}`).join(', '));
  return `${growing.length} topics`;
};

/** Every service grows to six pods, one after the other, with four times as many partitions, and back to one, while people play. */
export const scaleOut = async (context: ClusterContext): Promise<void> => {
  const { report, release, place, callers, stores } = context;
  const settings = [...small, `kafka.partitions=${partitions}`];
  const load = startLoad(callers, requestsPerSec);
  await report.step(`under load: topics grow to ${partitions} partitions`, async () => {
    await release.upgrade(place.GSB_IMAGE.tag, settings);
    return grown(stores.kafka.brokers);
  });
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

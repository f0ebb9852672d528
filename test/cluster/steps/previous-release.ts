import { startLoad } from '../load.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { judgeLoad, nobodyLost } from './rollouts.ts';

const requestsPerSec = 20;
/** The release before knows no bundles (UPGRADING.md). */
const plain = ['kafka.bundles=false'];

/** The release before is upgraded to this one and comes back, with its own chart and image, while people play on events of both. */
export const changeReleases = async (context: ClusterContext): Promise<void> => {
  const { report, release, place, callers } = context;
  const before = place.GSB_PREVIOUS;
  if (before === undefined) {
    report.print('– not played: the release before, as this clone does not reach back to it');
    return;
  }
  const { tag } = place.GSB_IMAGE;
  const load = startLoad(callers, requestsPerSec);
  await report.step('under load: events are written as the release before reads them', () =>
    release.upgrade(tag, plain).then(() => undefined),
  );
  await report.step('under load: the release before takes the place of this one', () =>
    release.downgrade(before).then(() => undefined),
  );
  await report.step('under load: it is upgraded to this one', () =>
    release.upgrade(tag, plain).then(() => undefined),
  );
  await report.step('under load: helm rollback brings it back', () =>
    release.rollback().then(() => undefined),
  );
  await report.step('under load: and it is upgraded for good', () =>
    release.upgrade(tag, plain).then(() => undefined),
  );
  await report.step('under load: nobody is left who knows no bundles, so events come in them', () =>
    release.upgrade(tag).then(() => undefined),
  );
  await report.step(
    `under load of ${requestsPerSec}/s: no request failed while releases changed places`,
    async () => judgeLoad(context, 'the load while releases changed places', await load.stop()),
  );
  await report.step('sessions survived both', () => nobodyLost(context));
};

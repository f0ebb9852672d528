import { startLoad } from '../load.ts';
import { leavingPods, readyOf } from '../pods.ts';
import { kubectlJson } from '../programs.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { within } from '../step-report.ts';
import { reportUsage } from '../usage.ts';
import { gatewaySettings, playThroughGateway } from './outside-journey.ts';
import { judgeLoad, nobodyLost } from './rollouts.ts';

const part = 'game-session';
/** On a fast machine two pods carry 50 a second with no more than the autoscaler tolerates above its target, for a minute and a half. */
const requestsPerSec = 80;
const scaled = {
  kind: 'cpu',
  ...{ min: 1, max: 3, cpuPercent: 60, scaleDownStabilizationSeconds: 10 },
};
/**
 * Two pods become one when both together use less than 60 % of one request. At rest, with six players, one uses 20 to 25 mCPU, and 37 in the minute after
 * a load: with a request of 100m, and so 30 mCPU for each of two, two could stay two. The autoscaler is right; the request was too near.
 */
const requests = { cpu: '120m', memory: '160Mi' };
const settings = [
  ...Object.entries(requests).map(([key, value]) => `services.${part}.resources.requests.${key}=${value}`),
  ...Object.entries(scaled).map(([key, value]) => `services.${part}.autoscaling.${key}=${value}`),
];

interface Scaler {
  readonly status: {
    readonly desiredReplicas: number;
    readonly currentMetrics?: { containerResource?: { current: { averageUtilization?: number } } }[] | null;
  };
}

const utilization = async (): Promise<number | undefined> => {
  const { status } = await kubectlJson<Scaler>('get', `hpa/gsb-${part}`);
  return status.currentMetrics?.[0]?.containerResource?.current.averageUtilization;
};

/** The autoscaler reads the pods' metrics, adds pods under load and takes them away after it. */
export const autoscale = async (context: ClusterContext): Promise<void> => {
  const { report, release, place, callers } = context;
  await report.step('the autoscaler reads metrics', async () => {
    await release.upgrade(place.GSB_IMAGE.tag, [...settings, ...gatewaySettings(context)]);
    const { answer } = await within(90, 'a metric', utilization, (percent) => percent !== undefined);
    return `${answer} % of the request`;
  });
  await playThroughGateway(context);
  await report.step('one pod of game-session is left, before the load', async () => {
    await within(
      180,
      'one ready',
      () => readyOf(part),
      (count) => count === 1,
    );
    return undefined;
  });
  const load = startLoad(callers, requestsPerSec);
  await report.step('game-session goes from 1 to 3 under load', async () => {
    const { tookSec } = await within(
      120,
      'three ready',
      () => readyOf(part),
      (count) => count === 3,
    );
    report.figure('from 1 to 3 pods under load', `${tookSec.toFixed(0)} s`);
    return undefined;
  });
  await report.step('no request failed while it grew', async () =>
    judgeLoad(context, 'the load while it grew', await load.stop()),
  );
  await report.step('and from 3 to 1 when the load is gone', async () => {
    const seen: string[] = [];
    const look = async () => {
      const [count, percent] = [await readyOf(part), await utilization()];
      const now = `${count} at ${percent ?? '?'} %`;
      if (seen.at(-1) !== now) seen.push(now);
      return { count, seen: seen.join(', ') };
    };
    const { tookSec } = await within(180, 'one left', look, ({ count }) => count === 1);
    report.figure('from 3 pods to 1 after the load', `${tookSec.toFixed(0)} s`);
    return `pods at what share of their request: ${seen.join(', ')}`;
  });
  await report.step('sessions survived both ways', () => nobodyLost(context));
  await report.step('what the pods use at rest', async () => {
    await within(45, 'the other pods gone', leavingPods, (count) => count === 0);
    return reportUsage(report);
  });
};

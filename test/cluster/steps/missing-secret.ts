import { sleep } from '#libs/runtime/wait.ts';
import { partsOf, podsOf } from '../pods.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { must, within } from '../step-report.ts';
import { underLoad } from '../under-load.ts';
import { judgeLoad } from './rollouts.ts';

const part = 'billing-adapter';
const missing = 'gsb-nowhere';
const watchedMs = 8_000;
const requestsPerSec = 20;

const waitingPod = async () => {
  const pods = await podsOf(part);
  return pods.find((pod) => partsOf(pod).waiting?.reason === 'CreateContainerConfigError');
};

/** Names a Secret that is not there, and looks at the pod that waits for it: what it says. */
const watchThePod = async ({ release, place }: ClusterContext): Promise<string> => {
  await release.upgrade(place.GSB_IMAGE.tag, [`partner.existingSecret=${missing}`], false);
  const { answer } = await within(
    60,
    'a pod that waits for its Secret',
    waitingPod,
    (pod) => pod !== undefined,
  );
  const { message = '' } = partsOf(answer!).waiting ?? {};
  must(message.includes(missing), message);
  await sleep(watchedMs);
  const still = await waitingPod();
  must(still !== undefined && partsOf(still).restarts === 0, 'restarted, or runs');
  const serving = (await podsOf(part)).filter((pod) => partsOf(pod).ready);
  must(serving.length === 1, `${serving.length} pods serve on`);
  return message;
};

/** A pod whose Secret is missing says which and waits; the one before it serves on. */
export const missASecret = async (context: ClusterContext): Promise<void> => {
  const { report, release } = context;
  await report.step(
    'a missing Secret: the pod says which, stays unready, does not crash-loop; no request fails',
    async () => {
      const { found, load } = await underLoad(context, requestsPerSec, () => watchThePod(context));
      const played = judgeLoad(context, 'the load while a Secret is missing', load);
      return `${found}; ${played}`;
    },
  );
  await report.step('helm rollback mends it', async () => {
    await release.rollback();
    must((await waitingPod()) === undefined, 'the pod still waits');
    return undefined;
  });
};

import { partsOf, podsOf } from '../pods.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { must, within } from '../step-report.ts';

const part = 'billing-adapter';
const missing = 'gsb-nowhere';
const watchedMs = 8_000;

const waitingPod = async () => {
  const pods = await podsOf(part);
  return pods.find((pod) => partsOf(pod).waiting?.reason === 'CreateContainerConfigError');
};

/** A pod whose Secret is missing says which and waits; the one before it serves on. */
export const missASecret = async ({ report, release, place }: ClusterContext): Promise<void> => {
  await report.step('a missing Secret: the pod says which, stays unready, does not crash-loop', async () => {
    await release.upgrade(place.GSB_IMAGE.tag, [`partner.existingSecret=${missing}`], false);
    const { answer } = await within(
      60,
      'a pod that waits for its Secret',
      waitingPod,
      (pod) => pod !== undefined,
    );
    const { waiting } = partsOf(answer!);
    must(waiting?.message?.includes(missing) === true, JSON.stringify(waiting));
    await new Promise((resolve) => setTimeout(resolve, watchedMs));
    const still = await waitingPod();
    must(still !== undefined && partsOf(still).restarts === 0, 'restarted, or runs');
    const serving = (await podsOf(part)).filter((pod) => partsOf(pod).ready);
    must(serving.length === 1, `${serving.length} pods serve on`);
    return waiting?.message;
  });
  await report.step('helm rollback mends it', async () => {
    await release.rollback();
    must((await waitingPod()) === undefined, 'the pod still waits');
    return undefined;
  });
};

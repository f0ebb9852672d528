import { spawnSync } from 'node:child_process';
import { run } from '../../charts/programs.ts';
import { podsOf, readyOf } from '../pods.ts';
import type { Pod } from '../pods.ts';
import { kubectlJson, namespace } from '../programs.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { Broken, must, within } from '../step-report.ts';
import { nobodyLost } from './rollouts.ts';

const part = 'game-session';
const drainSec = 25;
const twoOfIt = [`services.${part}.replicas=2`];

interface Budget {
  readonly status?: { readonly disruptionsAllowed?: number };
}

/** Waits until two pods are ready, and the budget has seen it: one of them may go. */
const budgetIsFull = () =>
  within(
    90,
    'the budget lets one pod go',
    async () => (await kubectlJson<Budget>('get', `pdb/gsb-${part}`)).status?.disruptionsAllowed,
    (allowed) => allowed === 1,
  );

/** Two pods of game-session, where there are not two yet. */
export const twoPods = ({ report, release, place }: ClusterContext): Promise<boolean> =>
  report.step(`two pods of ${part}, with a disruption budget`, async () => {
    if ((await readyOf(part)) !== 2) await release.upgrade(place.GSB_IMAGE.tag, twoOfIt);
    await budgetIsFull();
    return undefined;
  });

/** The pods of this release alone: another one's may have all other labels too, but not this hash, as the template has the addresses of our stores. */
const ofThisRelease = ({ metadata: { labels } }: Pod): string => {
  const hash = labels?.['pod-template-hash'];
  if (hash === undefined) throw new Broken(`no template hash: ${JSON.stringify(labels)}`);
  return `app.kubernetes.io/component=${part},pod-template-hash=${hash}`;
};

const drainNode = async (): Promise<string> => {
  await budgetIsFull();
  const [pod] = await podsOf(part);
  if (pod === undefined) throw new Broken(`no pod of ${part}`);
  const node = pod.spec.nodeName ?? '';
  const { items } = await kubectlJson<{ items: unknown[] }>('get', 'nodes');
  const only = ['--pod-selector', ofThisRelease(pod), '--ignore-daemonsets'];
  let fewest = 2;
  const look = () =>
    readyOf(part).then(
      (now) => (fewest = Math.min(fewest, now)),
      // A look that fails has seen nothing.
      () => undefined,
    );
  const timer = setInterval(() => void look(), 1_000);
  const undo = () => void spawnSync('kubectl', ['uncordon', node], { timeout: 10_000 });
  process.once('exit', undo);
  try {
    const { code, stderr, stdout } = await run('kubectl', ['drain', node, ...only, `--timeout=${drainSec}s`]);
    const refused = stderr.includes("violate the pod's disruption budget");
    // On one node the second pod has nowhere to go: its like is not back before the node is.
    const isRight = items.length === 1 ? code !== 0 && refused : code === 0 || refused;
    must(isRight, `a drain of one of ${items.length} nodes ended with ${code}: ${stderr}${stdout}`);
    must(fewest >= 1, 'there was a moment with no pod at all');
    return refused ? 'one pod went, the other was refused while its like is away' : 'pods moved one by one';
  } finally {
    clearInterval(timer);
    process.off('exit', undo);
    undo();
  }
};

/** Asks to evict two pods at once, as two operators might. */
const evictTwo = async (): Promise<string> => {
  const evictions = (await podsOf(part)).map(({ metadata: { name } }) => {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
    const input = JSON.stringify({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace },
    });
    return run('kubectl', ['create', '--raw', path, '--filename', '-'], { input });
  });
  const evicted = await Promise.all(evictions);
  const refused = evicted.filter(({ code, stderr }) => code !== 0 && stderr.includes('disruption budget'));
  must(evicted.length === 2 && refused.length === 1, JSON.stringify(evicted));
  return 'one evicted, one refused';
};

/** Nodes are drained, and players play on. */
export const disrupt = async (context: ClusterContext): Promise<void> => {
  const { report } = context;
  await twoPods(context);
  await report.step('the eviction API refuses what the budget forbids', evictTwo);
  await report.step('kubectl drain respects the budget', drainNode);
  await report.step('no session was lost by eviction or drain', async () => {
    await budgetIsFull();
    return nobodyLost(context);
  });
};

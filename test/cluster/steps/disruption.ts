import { spawnSync } from 'node:child_process';
import { run } from '../../charts/programs.ts';
import { podsOf, readyOf } from '../pods.ts';
import { kubectl, kubectlJson, namespace } from '../programs.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { must, within } from '../step-report.ts';
import { nobodyLost } from './rollouts.ts';

const part = 'game-session';
const drainSec = 25;
const twoOfIt = [`services.${part}.replicas=2`];

const drainNode = async (): Promise<string> => {
  const [pod] = await podsOf(part);
  const node = pod?.spec.nodeName ?? '';
  const { items } = await kubectlJson<{ items: unknown[] }>('get', 'nodes');
  const only = ['--pod-selector', `app.kubernetes.io/component=${part}`, '--ignore-daemonsets'];
  let fewest = 2;
  const timer = setInterval(() => void readyOf(part).then((now) => (fewest = Math.min(fewest, now))), 1_000);
  const undo = () => void spawnSync('kubectl', ['uncordon', node], { timeout: 10_000 });
  process.once('exit', undo);
  try {
    const { code, stderr, stdout } = await run('kubectl', ['drain', node, ...only, `--timeout=${drainSec}s`]);
    const refused = stderr.includes("violate the pod's disruption budget");
    must(
      items.length > 1 || (code !== 0 && refused),
      `one node, and the drain went through: ${stderr}${stdout}`,
    );
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

const backAtTwo = () =>
  within(
    90,
    'two ready again',
    () => readyOf(part),
    (count) => count === 2,
  );

/** Nodes are drained, and players play on. */
export const disrupt = async (context: ClusterContext): Promise<void> => {
  const { report, release, place } = context;
  await report.step(`two pods of ${part}, with a disruption budget`, async () => {
    await release.upgrade(place.GSB_IMAGE.tag, twoOfIt);
    await kubectl(['get', `pdb/gsb-${part}`]);
    return undefined;
  });
  await report.step('the eviction API refuses what the budget forbids', evictTwo);
  await backAtTwo();
  await report.step('kubectl drain respects the budget', drainNode);
  await backAtTwo();
  await report.step('no session was lost by eviction or drain', () => nobodyLost(context));
};

import { serviceNames } from '#libs/contracts/topics.ts';
import { sleep } from '#libs/runtime/wait.ts';
import { partsOf, podsOf } from '../pods.ts';
import { kubectl } from '../programs.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { must, within } from '../step-report.ts';

const awayMs = 30_000;

const states = async () => (await Promise.all(serviceNames.map(podsOf))).flat().map(partsOf);

/** Pods that begin while every store is away wait inside, and are there when the stores are. */
export const startWithoutStores = async (context: ClusterContext): Promise<void> => {
  const { report, stores, players, callers } = context;
  const { kafka, redis, postgres } = stores;
  await report.step(
    'pods that start while Kafka, Redis and Postgres are away wait for them, and do not crash-loop',
    async () => {
      const before = (await states()).length;
      await Promise.all([kafka.stop(), redis.stop(), postgres.stop()]);
      try {
        const ours = ['--selector', 'app.kubernetes.io/name=gsb', '--wait=false', '--grace-period=5'];
        await kubectl(['delete', 'pods', ...ours]);
        await sleep(awayMs);
        const waiting = await states();
        must(waiting.length === before, `${before} pods before, ${waiting.length} now`);
        must(
          waiting.every(({ restarts, ready }) => restarts === 0 && !ready),
          JSON.stringify(waiting),
        );
      } finally {
        await Promise.all([kafka.restart(), redis.restart(), postgres.restart()]);
      }
      const areReady = (all: Awaited<ReturnType<typeof states>>) => all.every(({ ready }) => ready);
      const { answer, tookSec } = await within(90, 'all ready', states, areReady);
      must(
        answer.every(({ restarts }) => restarts === 0),
        JSON.stringify(answer),
      );
      return `ready ${tookSec.toFixed(1)} s after the stores, without a restart`;
    },
  );
  await report.step('who played before plays on', async () => {
    // The edge learns of new pods a moment after they are ready.
    const start = async () => (await callers.launcher(0).start().catch(String)) as { ok?: boolean };
    await within(30, 'the launcher host', start, ({ ok }) => ok === true);
    const { tookSec } = await within(
      60,
      'nobody lost',
      () => players.lost().catch(String),
      (lost) => lost.length === 0,
    );
    const missed = players.failed.splice(0);
    return `after ${tookSec.toFixed(1)} s; ${missed.length} heartbeats were answered 503 or not at all meanwhile`;
  });
};

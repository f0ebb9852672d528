import { ledger } from '../compare-ledgers.ts';
import { imageSize } from '../image-size.ts';
import { jobsDone } from '../jobs.ts';
import { kubectlJson } from '../programs.ts';
import type { ContextWithoutPlayers } from '../cluster-context.ts';
import { must, seconds, within } from '../step-report.ts';
import { refusePassedNotAfter } from './bad-games.ts';

interface Deployments {
  readonly items: { metadata: { name: string; creationTimestamp: string } }[];
}

/** Installs, and shows that the schema was there before the services. */
export const install = async (context: ContextWithoutPlayers): Promise<boolean> => {
  const { report, release, place, stores } = context;
  const ready = await report.step('helm install: all Ready', async () => {
    const began = performance.now();
    await release.install(place.GSB_IMAGE.tag);
    report.figure('install to Ready, jobs included', seconds((performance.now() - began) / 1000));
    return undefined;
  });
  if (!ready) return false;
  await report.step(
    'topics and migrations Jobs ran before the services, beside a sidecar that never ends',
    async () => {
      const { items } = await kubectlJson<Deployments>('get', 'deployments');
      must(items.length === 5, `${items.length} deployments`);
      const first = Math.min(...items.map(({ metadata }) => Date.parse(metadata.creationTimestamp)));
      for (const job of ['topics', 'migrate']) {
        const { answer } = await within(
          10,
          `${job} reported as done`,
          () => jobsDone(job),
          (all) => all.length > 0,
        );
        must(
          answer.every((at) => at <= first),
          `${job} ended after the services began`,
        );
      }
      must((await ledger(stores.postgres.url)).length === 0, 'the ledger is not empty');
      return undefined;
    },
  );
  await refusePassedNotAfter(context);
  await report.step('a second release in the namespace is refused', async () => {
    const { code, stderr } = await release.second();
    must(code !== 0 && stderr.includes('into a namespace of its own'), stderr || 'it was taken');
    return undefined;
  });
  await report.step('the image is small', async () => {
    const size = await imageSize();
    report.figure('image', size);
    return size;
  });
  return true;
};

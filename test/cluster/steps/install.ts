import { ledger } from '../compare-ledgers.ts';
import { imageSize } from '../image-size.ts';
import { jobsDone } from '../jobs.ts';
import { kubectlJson } from '../programs.ts';
import type { EmptyStage } from '../cluster-release.ts';
import { must, seconds, within } from '../step-report.ts';
import { refusePassedNotAfter } from './bad-games.ts';

interface Deployments {
  readonly items: { metadata: { name: string; creationTimestamp: string } }[];
}

/** Installs, and shows that the schema was there before the services. */
export const install = async (stage: EmptyStage): Promise<boolean> => {
  const { teller, release, place, stores } = stage;
  const ready = await teller.step('helm install: all Ready', async () => {
    const began = performance.now();
    await release.install(place.GSB_IMAGE.tag);
    teller.figure('install to Ready, jobs included', seconds((performance.now() - began) / 1000));
    return undefined;
  });
  if (!ready) return false;
  await teller.step('topics and migrations Jobs ran before the services', async () => {
    const { items } = await kubectlJson<Deployments>('get', 'deployments');
    must(items.length === 5, `${items.length} deployments`);
    const first = Math.min(...items.map(({ metadata }) => Date.parse(metadata.creationTimestamp)));
    for (const job of ['topics', 'migrate']) {
      const { answer } = await within(
        10,
        `${job} told as done`,
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
  });
  await refusePassedNotAfter(stage);
  await teller.step('the image is small', async () => {
    const told = await imageSize();
    teller.figure('image', told);
    return told;
  });
  return true;
};

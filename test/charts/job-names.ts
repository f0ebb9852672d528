import { readObjects } from './objects.ts';
import type { KubernetesObject } from './objects.ts';
import { cases, renderWith } from './renders.ts';

/** Changes of values that change what a Job is; one of each kind of what a pod is made of. */
const changes = [
  'trust.existingSecret=other',
  'defaults.resources.requests.cpu=51m',
  'defaults.nodeSelector.pool=billing',
  'jobs.podLabels.team=billing',
  'image.pullPolicy=Always',
  'image.pullSecrets={registry}',
  'postgres.host=elsewhere.example',
  'kafka.tls=false',
  'migrations.activeDeadlineSeconds=301',
];

const jobsOf = (objects: readonly KubernetesObject[]): Map<string, string> =>
  new Map(
    objects
      .filter(({ kind, metadata }) => kind === 'Job' && !('helm.sh/hook' in metadata.annotations))
      .map(({ metadata, spec }) => [metadata.name, JSON.stringify(spec)]),
  );

/** A Job cannot be changed: where Jobs are no hooks, one that differs from that of the version before has another name. */
export const jobNames = async (): Promise<string[]> => {
  const argo = cases().find(({ name }) => name === 'argo-topics-job');
  if (argo === undefined) return ['the case argo-topics-job is not there'];
  const jobsWith = async (...settings: string[]) => jobsOf(readObjects(await renderWith(argo, settings)));
  const before = await jobsWith();
  const changed = await Promise.all(
    changes.map(async (change) => {
      const problems = [...(await jobsWith(change))].filter(
        ([name, spec]) => before.get(name) !== undefined && before.get(name) !== spec,
      );
      return problems.map(([name]) => `Job/${name} keeps its name, and differs, with ${change}`);
    }),
  );
  return before.size === 0 ? ['there are no Jobs without hooks'] : changed.flat();
};

import { called, podsOf, selects, shapes } from '../objects.ts';
import type { KubernetesObject } from '../objects.ts';

const scalers = ['HorizontalPodAutoscaler', 'ScaledObject'];

/** The fewest pods that a Deployment has. */
const fewest = (deployment: KubernetesObject, objects: readonly KubernetesObject[]): number => {
  const scaler = objects.find(
    ({ kind, spec }) =>
      scalers.includes(kind) && shapes.scaled.parse(spec).scaleTargetRef.name === deployment.metadata.name,
  );
  if (scaler === undefined) return shapes.deployment.parse(deployment.spec).replicas ?? 1;
  const { minReplicas, minReplicaCount } = shapes.scaled.parse(scaler.spec);
  return minReplicas ?? minReplicaCount ?? 1;
};

const budgetProblems = (deployment: KubernetesObject, objects: readonly KubernetesObject[]): string[] => {
  const [pod] = podsOf([deployment]);
  const budgets = objects.filter(
    ({ kind, spec }) =>
      kind === 'PodDisruptionBudget' &&
      selects(shapes.selecting.parse(spec).selector.matchLabels, pod?.labels ?? {}),
  );
  const least = fewest(deployment, objects);
  const isLive = deployment.metadata.labels['gsb.dev/environment'] === 'live';
  if (isLive && least < 2) return ['live has fewer than two of it'];
  if (least > 1 && budgets.length !== 1)
    return [`it has at least ${least} pods and ${budgets.length} disruption budgets`];
  return least === 1 && budgets.length > 0 ? ['a budget for its one pod blocks every drain'] : [];
};

/** A disruption budget for each Deployment of more than one pod, and none where it would block a drain. */
export const availabilityPolicy = (objects: readonly KubernetesObject[]): string[] =>
  objects
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap((each) => budgetProblems(each, objects).map((problem) => `${called(each)}: ${problem}`));

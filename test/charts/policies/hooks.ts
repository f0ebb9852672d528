import { called, podsOf, selects, shapes } from '../objects.ts';
import type { KubernetesObject } from '../objects.ts';

const weightOf = ({ metadata: { annotations } }: KubernetesObject): number | undefined =>
  annotations['helm.sh/hook']?.includes('pre-upgrade') === true
    ? Number(annotations['helm.sh/hook-weight'] ?? 0)
    : undefined;

const selectingPolicies = (objects: readonly KubernetesObject[], labels: Readonly<Record<string, string>>) =>
  objects
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .filter(({ spec }) => {
      const { podSelector, egress } = shapes.policy.parse(spec);
      return egress.length > 0 && selects(podSelector.matchLabels, labels);
    });

/** Hooks run before the release's other objects are changed: the policies that let a hook's pod out are hooks before it. */
export const hookPolicy = (objects: readonly KubernetesObject[]): string[] =>
  podsOf(objects).flatMap(({ owner, labels }) => {
    const weight = weightOf(owner);
    if (weight === undefined) return [];
    return selectingPolicies(objects, labels)
      .filter((policy) => (weightOf(policy) ?? Infinity) >= weight)
      .map((policy) => `${called(owner)}: it runs before ${called(policy)} is what it is here`);
  });

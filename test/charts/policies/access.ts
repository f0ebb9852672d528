import { z } from 'zod';
import { called, podsOf, selects, shapes } from '../objects.ts';
import type { KubernetesObject, Pod } from '../objects.ts';

const directions = ['Ingress', 'Egress'] as const;

const rule = z.looseObject({ resources: z.array(z.string()), verbs: z.array(z.string()) });

const policiesOf = (objects: readonly KubernetesObject[]) =>
  objects
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map((object) => ({ object, ...shapes.policy.parse(object.spec) }));

const isOpen = (peer: unknown): boolean => {
  const text = JSON.stringify(peer);
  return text === '{}' || /"cidr":"(0\.0\.0\.0\/0|::\/0)"/.test(text);
};

const openRules = (objects: readonly KubernetesObject[]): string[] =>
  policiesOf(objects).flatMap(({ object, ingress, egress }) => {
    const peers = [...ingress.map(({ from }) => from), ...egress.map(({ to }) => to)];
    return peers.some((list) => list.length === 0 || list.some(isOpen))
      ? [`${called(object)}: a rule of it is open to everybody`]
      : [];
  });

const uncovered = (pod: Pod, objects: readonly KubernetesObject[]): string[] =>
  directions
    .filter(
      (direction) =>
        !policiesOf(objects).some(
          ({ podSelector, policyTypes }) =>
            policyTypes.includes(direction) && selects(podSelector.matchLabels, pod.labels),
        ),
    )
    .map((direction) => `${called(pod.owner)}: no NetworkPolicy covers its ${direction.toLowerCase()}`);

/** Every pod is covered both ways, and no rule is open; only outside live may policies be off altogether. */
export const networkPolicy = (objects: readonly KubernetesObject[]): string[] => {
  const environment = objects.map(({ metadata }) => metadata.labels['gsb.dev/environment']).find(Boolean);
  if (environment !== 'live' && policiesOf(objects).length === 0) return [];
  return [...openRules(objects), ...podsOf(objects).flatMap((pod) => uncovered(pod, objects))];
};

/** People who operate the release, and not its pods, may run commands in pods; those named for it alone may make Jobs of its CronJobs. */
const forPeople: Readonly<Record<string, RegExp>> = {
  operators: /^\[("(pods\/exec|pods\/portforward)",?)+\]$/,
  'operators-jobs': /^\["jobs"\]$/,
};

const mayMore = (role: KubernetesObject): boolean => {
  const { rules } = z.object({ rules: z.array(rule) }).parse({ rules: role['rules'] });
  const allowed = forPeople[role.metadata.labels['app.kubernetes.io/component'] ?? ''];
  return rules
    .filter(({ resources }) => allowed?.test(JSON.stringify(resources)) !== true)
    .some(({ verbs }) => verbs.some((verb) => ['*', 'create', 'delete', 'update'].includes(verb)));
};

/** Only who watches Games is given a token, and no role of a pod says more than reading. */
export const rightsPolicy = (objects: readonly KubernetesObject[]): string[] => {
  const bound = new Set(
    objects
      .filter(({ kind }) => kind === 'RoleBinding')
      .flatMap((binding) => shapes.binding.parse(binding).subjects.map(({ name }) => name)),
  );
  const tokens = podsOf(objects)
    .filter(({ spec }) => spec.automountServiceAccountToken !== bound.has(spec.serviceAccountName))
    .map(({ owner }) => `${called(owner)}: its token and its role do not go together`);
  const wide = objects
    .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
    .filter((role) => role.kind === 'ClusterRole' || mayMore(role))
    .map((role) => `${called(role)}: it may do more than watch`);
  return [...tokens, ...wide];
};

/** Topics outlive an uninstall, and no hook may delete them. */
export const topicPolicy = (objects: readonly KubernetesObject[]): string[] =>
  objects
    .filter(({ kind }) => kind === 'KafkaTopic')
    .filter(
      ({ metadata: { annotations } }) =>
        annotations['helm.sh/resource-policy'] !== 'keep' || 'helm.sh/hook' in annotations,
    )
    .map((topic) => `${called(topic)}: an uninstall or a hook would delete it`);

const target = z.looseObject({
  target: z.looseObject({ creationPolicy: z.string(), deletionPolicy: z.string() }),
});

/** A Secret outlives the ExternalSecret that made it, which an upgrade may make again and an uninstall takes away. */
export const secretPolicy = (objects: readonly KubernetesObject[]): string[] =>
  objects
    .filter(({ kind }) => kind === 'ExternalSecret')
    .filter(({ spec }) => {
      const { data } = target.safeParse(spec);
      return data?.target.creationPolicy !== 'Orphan' || data.target.deletionPolicy !== 'Retain';
    })
    .map((each) => `${called(each)}: its Secret would be deleted with it`);

import { z } from 'zod';
import { called, podsOf, selects, shapes } from '../objects.ts';
import type { KubernetesObject } from '../objects.ts';

type Find = (kind: string, name: string) => boolean;

const selectsNobody = (object: KubernetesObject, objects: readonly KubernetesObject[]): boolean => {
  const { matchLabels } =
    object.kind === 'NetworkPolicy'
      ? shapes.policy.parse(object.spec).podSelector
      : shapes.selecting.parse(object.spec).selector;
  return !podsOf(objects).some(({ labels }) => selects(matchLabels, labels));
};

const serviceProblems = (object: KubernetesObject, objects: readonly KubernetesObject[]): string[] => {
  const { selector, ports } = shapes.service.parse(object.spec);
  const behind = podsOf(objects).filter(({ labels }) => selects(selector, labels));
  if (behind.length === 0) return ['no pod is behind it'];
  const open = behind.flatMap(({ spec }) => spec.containers.flatMap((each) => each.ports));
  return ports.flatMap(({ targetPort }) => {
    if (targetPort === 'ops') return ['it offers the ops port'];
    return open.some(({ name, containerPort }) => [name, containerPort].includes(targetPort))
      ? []
      : [`nothing listens at its port ${targetPort}`];
  });
};

const backends = (object: KubernetesObject): string[] =>
  object.kind === 'HTTPRoute'
    ? shapes.route.parse(object.spec).rules.flatMap(({ backendRefs }) => backendRefs.map(({ name }) => name))
    : shapes.ingress
        .parse(object.spec)
        .rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend.service.name));

const bindingProblems = (object: KubernetesObject, find: Find): string[] => {
  const { roleRef, subjects } = shapes.binding.parse(object);
  const ours = subjects.filter(({ kind }) => kind === 'ServiceAccount');
  const lost = ours.find(({ name }) => !find('ServiceAccount', name));
  if (!find('Role', roleRef.name)) return [`there is no Role ${roleRef.name}`];
  return lost === undefined ? [] : [`there is no ServiceAccount ${lost.name}`];
};

const authentication = z.looseObject({
  triggers: z.array(z.looseObject({ authenticationRef: z.looseObject({ name: z.string() }).optional() })),
});

const scalerProblems = (object: KubernetesObject, objects: readonly KubernetesObject[], find: Find) => {
  const { scaleTargetRef } = shapes.scaled.parse(object.spec);
  const target = objects.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === scaleTargetRef.name,
  );
  if (target === undefined) return [`there is no Deployment ${scaleTargetRef.name}`];
  const asks = authentication.safeParse(object.spec).data?.triggers ?? [];
  const lost = asks.find(
    ({ authenticationRef: ref }) => ref !== undefined && !find('TriggerAuthentication', ref.name),
  );
  if (lost !== undefined) return [`there is no TriggerAuthentication ${lost.authenticationRef?.name ?? ''}`];
  const fixed = shapes.deployment.parse(target.spec).replicas;
  return fixed !== undefined && object.kind === 'HorizontalPodAutoscaler'
    ? [`${called(target)} sets replicas, which the autoscaler owns`]
    : [];
};

const policyName = z.looseObject({ policyName: z.string() });

const problemsOf = (object: KubernetesObject, objects: readonly KubernetesObject[], find: Find): string[] => {
  switch (object.kind) {
    case 'Service':
      return serviceProblems(object, objects);
    case 'PodDisruptionBudget':
    case 'PodMonitor':
    case 'NetworkPolicy':
      return selectsNobody(object, objects) ? ['it selects no pod'] : [];
    case 'HTTPRoute':
    case 'Ingress':
      return backends(object).flatMap((name) =>
        find('Service', name) ? [] : [`there is no Service ${name}`],
      );
    case 'RoleBinding':
      return bindingProblems(object, find);
    case 'HorizontalPodAutoscaler':
    case 'ScaledObject':
      return scalerProblems(object, objects, find);
    case 'ServiceAccount':
      return podsOf(objects).some(({ spec }) => spec.serviceAccountName === object.metadata.name)
        ? []
        : ['no pod uses it'];
    case 'Role':
      return objects.some(
        (each) =>
          each.kind === 'RoleBinding' && shapes.binding.parse(each).roleRef.name === object.metadata.name,
      )
        ? []
        : ['nobody is bound to it'];
    case 'ValidatingAdmissionPolicyBinding':
      return find('ValidatingAdmissionPolicy', policyName.parse(object.spec).policyName)
        ? []
        : ['its policy is not there'];
    case 'Secret':
      return ['the chart makes no Secrets: they stand in the release for everybody to read'];
    default:
      return [];
  }
};

/** Nothing points to what is not there, and nothing is there that nobody points to. */
export const referencePolicy = (objects: readonly KubernetesObject[]): string[] => {
  const names = objects.map((object) => `${called(object)} in ${object.metadata.namespace ?? 'the release'}`);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  const find: Find = (kind, name) =>
    objects.some((each) => each.kind === kind && each.metadata.name === name);
  return [
    ...twice.map((name) => `${name} is there twice`),
    ...objects.flatMap((object) =>
      problemsOf(object, objects, find).map((problem) => `${called(object)}: ${problem}`),
    ),
  ];
};

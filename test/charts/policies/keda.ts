import { z } from 'zod';
import { called, shapes } from '../objects.ts';
import type { KubernetesObject } from '../objects.ts';

const scaledObject = z.looseObject({
  scaleTargetRef: z.looseObject({ name: z.string() }),
  minReplicaCount: z.int(),
  fallback: z.looseObject({ replicas: z.int() }).optional(),
  triggers: z.array(z.looseObject({ metadata: z.record(z.string(), z.string()) })),
});

/** Names without a dot are of KEDA's own namespace, as KEDA resolves them. */
const unqualified = ({ bootstrapServers = '', serverAddress = '' }: Record<string, string>): string[] =>
  [...bootstrapServers.split(','), serverAddress.replace(/^https?:\/\//, '')]
    .filter((address) => address !== '' && !address.includes('.'))
    .map((address) => `${address} is no name outside of the release's namespace, and KEDA is outside`);

const problemsOf = (object: KubernetesObject, objects: readonly KubernetesObject[]): string[] => {
  const { scaleTargetRef, minReplicaCount, fallback, triggers } = scaledObject.parse(object.spec);
  const deployment = objects.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === scaleTargetRef.name,
  );
  const replicas = shapes.deployment.safeParse(deployment?.spec).data?.replicas ?? 1;
  return [
    ...new Set(triggers.flatMap(({ metadata }) => unqualified(metadata))),
    ...(replicas < minReplicaCount ? [`without KEDA its service would have ${replicas} pods`] : []),
    ...((fallback?.replicas ?? 0) < minReplicaCount ? ['it falls back to fewer pods than its minimum'] : []),
  ];
};

/** Autoscaling by KEDA reaches what it measures, and does no harm while it cannot measure, or is not there at all. */
export const kedaPolicy = (objects: readonly KubernetesObject[]): string[] =>
  objects
    .filter(({ kind }) => kind === 'ScaledObject')
    .flatMap((each) => problemsOf(each, objects).map((problem) => `${called(each)}: ${problem}`));

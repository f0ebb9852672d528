import { z } from 'zod';
import { called, podsOf } from '../objects.ts';
import type { KubernetesObject, Pod } from '../objects.ts';

type Container = Pod['spec']['containers'][number];
type Judge = (pod: Pod, container: Container) => string | false;

const allowedVolumes = [
  'configMap',
  'secret',
  'emptyDir',
  'projected',
  'downwardAPI',
  'persistentVolumeClaim',
];

const restrictedPod = z.looseObject({
  runAsNonRoot: z.literal(true),
  seccompProfile: z.looseObject({ type: z.enum(['RuntimeDefault', 'Localhost']) }),
});
const restrictedContainer = z.looseObject({
  allowPrivilegeEscalation: z.literal(false),
  readOnlyRootFilesystem: z.literal(true),
  capabilities: z.looseObject({ drop: z.array(z.string()).refine((all) => all.includes('ALL')) }),
});

const problemIn = (schema: z.ZodType, value: unknown): string | false => {
  const { error } = schema.safeParse(value);
  return error !== undefined && `securityContext.${error.issues[0]?.path.join('.') ?? ''} is not restricted`;
};

const hostDoors = ['hostNetwork', 'hostPID', 'hostIPC'] as const;

const restricted: Judge = ({ spec }, container) => {
  const door = hostDoors.find((name) => spec[name] === true);
  const volume = spec.volumes.find((each) => !allowedVolumes.some((kind) => kind in each));
  if (door !== undefined) return `${door} is on`;
  if (volume !== undefined) return `volume ${volume.name} is of a kind that restricted pods may not have`;
  return (
    problemIn(restrictedPod, spec.securityContext) ||
    problemIn(restrictedContainer, container.securityContext)
  );
};

const image: Judge = (_, container) => {
  const [, tag, digest] = /^[^@]+?(?::([\w.-]+))?(@sha256:[0-9a-f]{64})?$/.exec(container.image) ?? [];
  if (tag === 'latest') return 'its image is :latest';
  return tag === undefined && digest === undefined && `its image has no version: ${container.image}`;
};

const resources: Judge = (_, { resources: { requests, limits } }) => {
  const missing = ['cpu', 'memory'].find((name) => !(name in requests));
  if (missing !== undefined) return `it requests no ${missing}`;
  if (!('memory' in limits)) return 'it has no memory limit';
  return 'cpu' in limits && 'it has a CPU limit, which throttles';
};

const probed: Judge = ({ owner, spec }, container) => {
  if (container !== spec.containers[0]) return false;
  const missing = ['startupProbe', 'readinessProbe', 'livenessProbe'].find((probe) => !(probe in container));
  return owner.kind === 'Deployment' && missing !== undefined && `it has no ${missing}`;
};

const sleeps = z.looseObject({ preStop: z.looseObject({ sleep: z.looseObject({ seconds: z.int() }) }) });

const grace: Judge = ({ spec, owner }, container) => {
  const waits = sleeps.safeParse(container['lifecycle']).data?.preStop.sleep.seconds ?? 0;
  const least = waits + 20;
  const short = owner.kind === 'Deployment' && spec.terminationGracePeriodSeconds < least;
  return short && `its grace of ${spec.terminationGracePeriodSeconds} s is less than ${least} s`;
};

const secret = /(SECRET|PASSWORD|TOKEN|PRIVATE_KEY)$/;

const noInlineSecret: Judge = ({ labels }, { env }) => {
  const inTheOpen = env.find(({ name, value }) => secret.test(name) && value !== undefined);
  return (
    labels['gsb.dev/environment'] === 'live' &&
    inTheOpen !== undefined &&
    `${inTheOpen.name} stands in the open`
  );
};

const pinned: Judge = ({ labels }, container) =>
  labels['gsb.dev/environment'] === 'live' &&
  !container.image.includes('@sha256:') &&
  'its image has no digest';

const judges = [restricted, image, resources, probed, grace, noInlineSecret, pinned];

/** What each pod must be, whatever the values. */
export const podPolicy = (objects: readonly KubernetesObject[]): string[] =>
  podsOf(objects).flatMap((pod) =>
    [...pod.spec.containers, ...pod.spec.initContainers].flatMap((container) =>
      judges.flatMap((judge) => {
        const problem = judge(pod, container);
        return problem === false ? [] : [`${called(pod.owner)}: ${problem}`];
      }),
    ),
  );

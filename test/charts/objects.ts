import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

const labels = z.record(z.string(), z.string());
const reference = z.looseObject({ name: z.string() });

const metadata = z.looseObject({
  name: z.string(),
  namespace: z.string().optional(),
  labels: labels.default({}),
  annotations: labels.default({}),
});

/** One object of a render. */
export const kubernetesObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata,
  spec: z.unknown().optional(),
});

/** One object of a render. */
export type KubernetesObject = z.output<typeof kubernetesObject>;

const container = z.looseObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).default([]),
  ports: z.array(z.looseObject({ name: z.string(), containerPort: z.int() })).default([]),
  env: z
    .array(
      z.looseObject({ name: z.string(), value: z.string().optional(), valueFrom: z.unknown().optional() }),
    )
    .default([]),
  resources: z
    .looseObject({
      requests: z.record(z.string(), z.unknown()).default({}),
      limits: z.record(z.string(), z.unknown()).default({}),
    })
    .default({ requests: {}, limits: {} }),
  securityContext: z.looseObject({}).default({}),
});

const podSpec = z.looseObject({
  containers: z.array(container),
  initContainers: z.array(container).default([]),
  serviceAccountName: z.string().default('default'),
  automountServiceAccountToken: z.boolean().default(true),
  terminationGracePeriodSeconds: z.int().default(30),
  securityContext: z.looseObject({}).default({}),
  volumes: z.array(z.looseObject({ name: z.string() })).default([]),
});

const template = z.looseObject({ metadata: z.looseObject({ labels: labels.default({}) }), spec: podSpec });
const selector = z.looseObject({ matchLabels: labels.default({}) });

/** The pod that an object makes, or is. */
export interface Pod {
  readonly owner: KubernetesObject;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: z.output<typeof podSpec>;
}

const templateOf = ({
  kind,
  spec,
  metadata: of,
}: KubernetesObject): z.output<typeof template> | undefined => {
  if (kind === 'Pod') return template.parse({ metadata: of, spec });
  if (kind === 'CronJob') {
    const schema = z.looseObject({ jobTemplate: z.looseObject({ spec: z.looseObject({ template }) }) });
    return schema.parse(spec).jobTemplate.spec.template;
  }
  if (!['Deployment', 'StatefulSet', 'Job'].includes(kind)) return undefined;
  return z.looseObject({ template }).parse(spec).template;
};

/** All pods that a render makes. */
export const podsOf = (objects: readonly KubernetesObject[]): Pod[] =>
  objects.flatMap((owner) => {
    const found = templateOf(owner);
    return found === undefined ? [] : [{ owner, labels: found.metadata.labels, spec: found.spec }];
  });

/** How an object is called when something is wrong with it. */
export const called = ({ kind, metadata: { name } }: KubernetesObject): string => `${kind}/${name}`;

/** Whether labels are selected; an empty selector selects everything. */
export const selects = (
  matchLabels: Readonly<Record<string, string>>,
  of: Readonly<Record<string, string>>,
) => Object.entries(matchLabels).every(([name, value]) => of[name] === value);

/** Shapes of what refers to something else. */
export const shapes = {
  deployment: z.looseObject({ replicas: z.int().optional(), selector }),
  selecting: z.looseObject({ selector }),
  service: z.looseObject({
    selector: labels,
    ports: z.array(z.looseObject({ targetPort: z.union([z.string(), z.int()]) })),
  }),
  scaled: z.looseObject({
    scaleTargetRef: reference,
    minReplicas: z.int().optional(),
    minReplicaCount: z.int().optional(),
  }),
  policy: z.looseObject({
    podSelector: selector,
    policyTypes: z.array(z.string()),
    ingress: z.array(z.looseObject({ from: z.array(z.unknown()).default([]) })).default([]),
    egress: z.array(z.looseObject({ to: z.array(z.unknown()).default([]) })).default([]),
  }),
  route: z.looseObject({
    hostnames: z.array(z.string()),
    rules: z.array(z.looseObject({ backendRefs: z.array(reference) })),
  }),
  ingress: z.looseObject({
    rules: z.array(
      z.looseObject({
        host: z.string(),
        http: z.looseObject({
          paths: z.array(z.looseObject({ backend: z.looseObject({ service: reference }) })),
        }),
      }),
    ),
  }),
  binding: z.looseObject({ roleRef: reference, subjects: z.array(reference) }),
} as const;

/** The objects of a manifest of several documents. Throws on YAML that does not parse and on objects without kind or name. */
export const readObjects = (yaml: string): KubernetesObject[] =>
  parseAllDocuments(yaml, { version: '1.1' }).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    const value: unknown = document.toJS();
    return value === null ? [] : [kubernetesObject.parse(value)];
  });

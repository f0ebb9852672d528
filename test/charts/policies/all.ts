import type { KubernetesObject } from '../objects.ts';
import { networkPolicy, rightsPolicy, secretPolicy, topicPolicy } from './access.ts';
import { availabilityPolicy } from './availability.ts';
import { environmentPolicy } from './environment.ts';
import { hookPolicy } from './hooks.ts';
import { kafkaPolicy } from './kafka.ts';
import { kedaPolicy } from './keda.ts';
import { podPolicy } from './pods.ts';
import { referencePolicy } from './references.ts';
import { routePolicy } from './routes.ts';

const policies = [
  podPolicy,
  referencePolicy,
  routePolicy,
  availabilityPolicy,
  networkPolicy,
  rightsPolicy,
  topicPolicy,
  secretPolicy,
  hookPolicy,
  kafkaPolicy,
  kedaPolicy,
  environmentPolicy,
];

/** What is wrong with a render by any policy. */
export const judge = (objects: readonly KubernetesObject[]): string[] =>
  policies.flatMap((policy) => policy(objects));

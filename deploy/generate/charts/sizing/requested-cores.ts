import { serviceNames } from '#libs/contracts/topics.ts';
import type { ServiceName } from '#libs/contracts/topics.ts';
import { live } from './live-values.ts';
import { idleCores } from './measured-costs.ts';
import type { Size } from './size-for.ts';

/** What Jobs ask for while they run, and what live's services do where they are given nothing else, in cores. */
export const requested = {
  jobs: live.jobs.resources.requests.cpu,
  service: live.defaults.resources.requests.cpu,
} as const;
/** Processes that are scaled by their CPU ask for a whole core from here on, in cores of game-session. */
export const busyFrom = 0.25;
const step = 0.05;

/** The fewest pods of a service: never fewer than live has. */
export const leastPods = ({ fewestPods }: Size, service: ServiceName): number =>
  Math.max(live.services[service].autoscaling.min, fewestPods[service]);

/**
 * The cores that a pod of a service asks for. A busy one that is scaled by its CPU asks for all that it can use, as the share by which it is scaled
 * is one of that; another one for what it has to do where there are the fewest, which is known.
 */
export const requestOf = (size: Size, service: ServiceName): number => {
  const { cores } = size;
  if (live.services[service].autoscaling.kind === 'cpu' && cores['game-session'] > busyFrom) return 1;
  const busy = cores[service] / leastPods(size, service) + idleCores[service];
  return Math.max(requested.service, Math.ceil(busy / step) * step);
};

/** The pods that are there while so many play: where CPU scales, as many as keep each at its share. */
const keptPods = (size: Size, service: ServiceName): number => {
  const isScaledByCpu = live.services[service].autoscaling.kind === 'cpu';
  return Math.max(leastPods(size, service), isScaledByCpu ? size.pods[service] : 0);
};

/** The cores that the pods of all services ask for together. */
export const coresRequested = (size: Size): number =>
  serviceNames.reduce((all, service) => all + keptPods(size, service) * requestOf(size, service), 0);

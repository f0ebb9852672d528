import { serviceNames } from '#libs/contracts/topics.ts';
import type { ServiceName } from '#libs/contracts/topics.ts';
import { shards } from '#libs/kernel/shards.ts';
import { specLimits } from '#libs/kernel/limits.ts';
import { retrySettings } from '#libs/runtime/partner-settings.ts';
import { usualInFlight } from '../../../../services/billing-adapter/adapters/circuit-breakers.ts';
import { mostInFlight } from '../../../../services/billing-adapter/config.ts';
import { live } from './live-values.ts';
import { cpuMs, idleCores } from './measured-costs.ts';
import type { Operation, Process } from './measured-costs.ts';

/** What is taken for granted of players and of the partner, and of how full processes may be. */
export const assumed = {
  sessionsAnHour: 3,
  busyHoursADay: 12,
  partnerLatencySec: 0.1,
  /** PCs that share an address, as those of a cafe do. */
  pcsAnAddress: 100,
  /** Shares of the one core that a process of ours can use, with the usual pods and with the fewest; of the calls in flight; of a primary's core. */
  ...{ utilization: 0.6, mostUtilization: 0.75, redisUtilization: 0.5 },
  /** As a share of both: with one of the fewest pods gone, as while a node is drained. */
  utilizationWithoutOne: 0.95,
  /** Share of the calls in flight that are used while an outage of the partner is made good. */
  recoveryUtilization: 0.9,
  fewestPods: 2,
};

/** What a number of PCs needs of the processes of one release. */
export interface Size {
  readonly pcs: number;
  readonly perSecond: Readonly<Record<Operation, number>>;
  /** What the work takes; idling, which each pod does for itself, is not in it. */
  readonly cores: Readonly<Record<Process, number>>;
  readonly pods: Readonly<Record<ServiceName, number>>;
  /** With so few a pod is as full as it may be, and one may go. */
  readonly fewestPods: Readonly<Record<ServiceName, number>>;
  /** As many as autoscaling may make: with a reserve, and never fewer than live has. */
  readonly mostPods: Readonly<Record<ServiceName, number>>;
  readonly partitions: number;
  /** Calls in flight at the partner that a pod of billing-adapter needs for starts, and as many for stops, where there are the fewest. */
  readonly inFlight: number;
  /** The same of checks. */
  readonly checksInFlight: number;
  /** Retries a second of starts, and as many of stops, that such a pod may make beside its usual calls. */
  readonly retriesPerSecond: number;
}

const hour = 3_600;
/** Whose CPU counts, in the order of the table. */
export const processes: readonly Process[] = [...serviceNames, 'redis', 'kafka', 'postgres'];
/** Partitions that a pod has at least: topics are grown with care, pods within minutes. */
const roomToGrow = 2;
const [inFlightStep, retriesStep] = [8, 10];
/** What is not needed until a pod is replaced, or callers come at once. */
const reserve = 1.25;

const ratesOf = (pcs: number): Record<Operation, number> => {
  const [beats, sessions] = [pcs / specLimits.heartbeatIntervalSec, (pcs * assumed.sessionsAnHour) / hour];
  return {
    ...{ heartbeat: beats, 'launcher heartbeat': beats },
    ...{ start: sessions, token: sessions, verify: sessions, end: sessions },
  };
};

/** An address is asked about again when it is needed and the partner's word is a minute old (D-45). */
const checksOf = (pcs: number): number => pcs / assumed.pcsAnAddress / 60;

const each = <K extends string>(keys: readonly K[], value: (key: K) => number): Record<K, number> =>
  Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, number>;

/** Partitions grow by doubling live's. */
const partitionsFor = (pods: number): number => {
  let partitions = live.kafka.partitions;
  while (partitions < roomToGrow * pods) partitions *= 2;
  return partitions;
};

/** Calls in flight of each of so many pods that make so many a second together, in steps; those that are left when one goes have room too. */
const inFlightOf = (calls: number, pods: number, usual: number): number => {
  const shares = [calls / pods / assumed.utilization, calls / (pods - 1) / assumed.utilizationWithoutOne];
  const needed = Math.max(...shares) * assumed.partnerLatencySec;
  return Math.min(mostInFlight, Math.max(usual, Math.ceil(needed / inFlightStep) * inFlightStep));
};

/** What the calls in flight carry beside the usual ones, and no more than as many again: an outage is made good as fast as it came. */
const retriesOf = (usual: number, inFlight: number): number => {
  const carried = (inFlight / assumed.partnerLatencySec) * assumed.recoveryUtilization;
  const most = Math.floor(Math.min(usual, carried - usual) / retriesStep) * retriesStep;
  return Math.max(retrySettings.PARTNER_RETRIES_PER_SEC.parse(undefined), most);
};

/** What so many PCs need that all play, by what was measured. */
export const sizeFor = (pcs: number): Size => {
  const perSecond = ratesOf(pcs);
  const operations = Object.keys(cpuMs) as Operation[];
  const cores = each(processes, (process) =>
    operations.reduce((sum, name) => sum + (perSecond[name] * (cpuMs[name][process] ?? 0)) / 1000, 0),
  );
  /** A verify is a start at the partner, an end a stop. */
  const calls = Math.max(perSecond.verify, perSecond.end);
  const needed = (name: ServiceName, utilization: number): number => {
    const byCpu = cores[name] / (utilization - idleCores[name]);
    const inFlight = name === 'billing-adapter' ? calls * assumed.partnerLatencySec : 0;
    return Math.ceil(Math.max(byCpu, inFlight / (mostInFlight * utilization)));
  };
  const { utilization, mostUtilization, utilizationWithoutOne } = assumed;
  const fewestPods = each(serviceNames, (name) =>
    Math.max(assumed.fewestPods, needed(name, mostUtilization), needed(name, utilizationWithoutOne) + 1),
  );
  const pods = each(serviceNames, (name) => Math.max(fewestPods[name], needed(name, utilization)));
  const mostPods = each(serviceNames, (name) =>
    Math.max(live.services[name].autoscaling.max, Math.ceil(pods[name] * reserve)),
  );
  const callers = fewestPods['billing-adapter'];
  const inFlight = inFlightOf(calls, callers, usualInFlight.start);
  return {
    ...{ pcs, perSecond, cores, pods, fewestPods, mostPods },
    partitions: partitionsFor(Math.max(...Object.values(mostPods))),
    ...{ inFlight, retriesPerSecond: retriesOf(calls / callers, inFlight) },
    checksInFlight: inFlightOf(checksOf(pcs), callers, usualInFlight.check),
  };
};

/** As many PCs as one hot view is enough for: each shard has a primary of its own that is as busy as it may be. */
export const mostPcs = (): number =>
  (shards.length * assumed.redisUtilization) / (sizeFor(1_000_000).cores.redis / 1_000_000);

/** Into how many releases PCs are divided. */
export const releasesFor = (pcs: number): number => Math.ceil(pcs / mostPcs());

import { specLimits } from '#libs/kernel/limits.ts';
import { cpuMs, redisBytes, rowsOfASession } from './measured-costs.ts';
import type { Operation, Process } from './measured-costs.ts';

const services = ['launcher-gateway', 'ott', 'game-session', 'billing-adapter', 'settlement'] as const;
type Service = (typeof services)[number];

/** What is taken for granted of players, and of how full processes may be. */
export const assumed = {
  sessionsAnHour: 3,
  busyHoursADay: 12,
  /** Of the one core that a process can use. */
  utilization: 0.6,
  fewestPods: 2,
  /** Redis needs room beside its data: to copy on write, and because memory fragments. */
  redisHeadroom: 1.5,
};

/** What a number of PCs needs. */
export interface Size {
  readonly pcs: number;
  readonly perSecond: Readonly<Record<Operation, number>>;
  readonly cores: Readonly<Record<Process, number>>;
  readonly pods: Readonly<Record<Service, number>>;
  readonly partitions: number;
  readonly redisBytes: number;
  readonly rowsADay: number;
}

const hour = 3_600;
const { heartbeatIntervalSec, endedMemorySec, ottMemorySec } = specLimits;
/** Whose CPU counts, in the order of the table. */
export const processes: readonly Process[] = [...services, 'redis', 'kafka', 'postgres'];
const partitionSteps = [12, 48, 96, 192];
/** Partitions that a pod has at least: topics are grown with care, pods within minutes. */
const roomToGrow = 2;

const ratesOf = (pcs: number): Record<Operation, number> => {
  const [beats, sessions] = [pcs / heartbeatIntervalSec, (pcs * assumed.sessionsAnHour) / hour];
  return {
    ...{ heartbeat: beats, 'launcher heartbeat': beats },
    ...{ start: sessions, token: sessions, verify: sessions, end: sessions },
  };
};

/** What is remembered of the sessions of the last hour, and of the tokens of the last day. */
const redisBytesOf = (pcs: number): number => {
  const ended = (assumed.sessionsAnHour * endedMemorySec) / hour;
  const tokens = (assumed.sessionsAnHour * assumed.busyHoursADay * ottMemorySec) / (24 * hour);
  const ofAPc =
    redisBytes.liveSession + ended * redisBytes.endedSession + (tokens - 1) * redisBytes.usedToken;
  return pcs * ofAPc * assumed.redisHeadroom;
};

const each = <K extends string>(keys: readonly K[], value: (key: K) => number): Record<K, number> =>
  Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, number>;

/** What so many PCs need that all play, by what was measured. */
export const sizeFor = (pcs: number): Size => {
  const perSecond = ratesOf(pcs);
  const operations = Object.keys(cpuMs) as Operation[];
  const cores = each(processes, (process) =>
    operations.reduce((sum, name) => sum + (perSecond[name] * (cpuMs[name][process] ?? 0)) / 1000, 0),
  );
  const pods = each(services, (name) =>
    Math.max(assumed.fewestPods, Math.ceil(cores[name] / assumed.utilization)),
  );
  const wanted = roomToGrow * Math.max(...Object.values(pods));
  const rowsADay = pcs * assumed.sessionsAnHour * assumed.busyHoursADay * rowsOfASession;
  const partitions = partitionSteps.find((step) => step >= wanted) ?? wanted;
  return { pcs, perSecond, cores, pods, partitions, redisBytes: redisBytesOf(pcs), rowsADay };
};

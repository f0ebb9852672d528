import type { Shed } from '#libs/contracts/endpoint.ts';
import { createUtilization } from '#libs/runtime/utilization.ts';

const sampleEveryMs = 100;
/** From this share of its time on, a process has no time left for what waits. */
const busyFrom = 0.95;
/** How much a new sample counts against those before it. */
const weightOfSample = 0.3;

/**
 * What a process has in hand. `most`: requests of a kind at once, whatever they wait for. While the process is busy those of a kind, with those
 * that are refused later than it, may be what it finishes in `targetSec`, and `least` where it finishes little (D-46): what waits for longer
 * survives collections of garbage, and each costs more.
 */
const bounds: Readonly<Record<Shed, { most: number; least: number; targetSec: number }>> = {
  first: { most: 150, least: 100, targetSec: 0.02 },
  second: { most: 250, least: 130, targetSec: 0.03 },
  third: { most: 350, least: 160, targetSec: 0.04 },
  last: { most: 5_000, least: 200, targetSec: 0.05 },
};

/** In the order in which they are refused. */
const kinds = ['first', 'second', 'third', 'last'] as const satisfies readonly Shed[];

/** What decides whether one more request is taken in hand. */
export interface Load {
  /** Of its kind, and of all that are refused no earlier: what waits of the others keeps nobody out who plays. */
  readonly sameInHand: number;
  readonly inHand: number;
  /** Whether the process has no time left, and how many it finishes a second. */
  readonly isBusy: boolean;
  readonly perSecond: number;
}

/** Whether one more request of a kind is taken in hand. */
export const hasRoom = (shed: Shed, { sameInHand, inHand, isBusy, perSecond }: Load): boolean => {
  const { most, least, targetSec } = bounds[shed];
  return sameInHand < most && !(isBusy && inHand >= Math.max(least, perSecond * targetSec));
};

/** What requests a process takes in hand: it knows how busy it is, and how much it finishes. */
export interface Admission {
  /** Whether one more request may be taken in hand; otherwise it is to be refused at once. */
  hasRoom(shed: Shed): boolean;
  /** Takes a request in hand; the function is to be called once, when it is over. `weight`: what it counts for. */
  take(shed: Shed, weight: number): () => void;
  /** Whether the process has no time left for what waits. */
  isBusy(): boolean;
  start(): void;
  stop(): void;
}

/** Measures a process by the share of its time that its event loop works, and by what it finishes. */
export const createAdmission = (): Admission => {
  const inHand: Record<Shed, number> = { first: 0, second: 0, third: 0, last: 0 };
  let [finished, perSecond, isBusy] = [0, 0, false];
  const utilization = createUtilization();
  let sampledAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const heldFrom = (shed: Shed): number =>
    kinds.slice(kinds.indexOf(shed)).reduce((sum, kind) => sum + inHand[kind], 0);
  const sample = (): void => {
    const now = performance.now();
    isBusy = utilization() >= busyFrom;
    perSecond += weightOfSample * ((1000 * finished) / (now - sampledAt) - perSecond);
    [sampledAt, finished] = [now, 0];
  };
  return {
    hasRoom: (shed) => hasRoom(shed, { sameInHand: inHand[shed], inHand: heldFrom(shed), isBusy, perSecond }),
    take: (shed, weight) => {
      inHand[shed] += weight;
      return () => {
        inHand[shed] -= weight;
        finished += weight;
      };
    },
    isBusy: () => isBusy,
    start: () => {
      timer = setInterval(sample, sampleEveryMs).unref();
    },
    stop: () => clearInterval(timer),
  };
};

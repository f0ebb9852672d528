import { randomUUID } from 'node:crypto';
import type { StackFacts } from '#simulators/stack-file.ts';
import { createFifo } from './queue.ts';

/** How far the player of a PC has come. */
type Stage = 'idle' | 'launching' | 'playing' | 'in use';

/** A PC of a cafe as the generator knows it: its launcher's token, its one-time token, and who plays at it. */
export interface Pc {
  readonly cafe: StackFacts['cafes'][number];
  readonly machineId: string;
  readonly user: string;
  stage: Stage;
  sessionToken: string;
  /** What its launcher was told: the most seconds between heartbeats. */
  intervalSec: number;
  /** When its launcher was heard last (performance.now). */
  launcherSeenMs: number;
  ott?: string | undefined;
  /** Until when the token may be presented (performance.now). */
  ottUntilMs: number;
  gameSessionId?: string | undefined;
  /** Play began between these two (performance.now). */
  verifySentMs: number;
  verifiedMs: number;
  heardMs: number;
  /** A request for its game session is on its way. */
  isBusy: boolean;
}

/** PCs in the order of their last use. */
export interface Queue {
  push(pc: Pc): void;
  /** The PC that was used longest ago. */
  take(): Pc | undefined;
  /** Takes this PC out, if it is here. */
  remove(pc: Pc): void;
  readonly size: number;
  items(): readonly Pc[];
}

const createPcQueue = (stage: Stage): Queue => {
  const all = createFifo<Pc>();
  let size = 0;
  return {
    push: (pc) => {
      pc.stage = stage;
      size += 1;
      all.push(pc);
    },
    take: () => {
      for (let pc = all.shift(); pc; pc = all.shift()) {
        if (pc.stage !== stage) continue;
        size -= 1;
        pc.stage = 'in use';
        return pc;
      }
      return undefined;
    },
    remove: (pc) => {
      if (pc.stage !== stage) return;
      size -= 1;
      pc.stage = 'in use';
    },
    get size() {
      return size;
    },
    items: () => all.items().filter((pc) => pc.stage === stage),
  };
};

/** All PCs, each in one of three queues by how far its player has come. */
export interface Pcs {
  /** Their launchers run. */
  readonly idle: Queue;
  /** They have a token that nobody has presented yet. */
  readonly launching: Queue;
  readonly playing: Queue;
  /** Game session ids that were given out. */
  readonly ids: Set<string>;
  /** A PC nobody has used yet; it is in no queue. */
  newPc(): Pc;
}

/** No PCs yet; new ones stand in the cafes of the stack in turn. */
export const createPcs = (cafes: StackFacts['cafes']): Pcs => {
  let made = 0;
  return {
    idle: createPcQueue('idle'),
    launching: createPcQueue('launching'),
    playing: createPcQueue('playing'),
    ids: new Set(),
    newPc: () => {
      const cafe = cafes[(made += 1) % cafes.length];
      if (cafe === undefined) throw new Error('the stack has no cafes');
      const none = {
        stage: 'in use' as const,
        sessionToken: '',
        launcherSeenMs: 0,
        intervalSec: 0,
        ottUntilMs: 0,
        isBusy: false,
      };
      return {
        ...{ cafe, machineId: randomUUID(), user: `bench-${randomUUID()}` },
        ...{ ...none, verifySentMs: 0, verifiedMs: 0, heardMs: 0 },
      };
    },
  };
};

import { randomUUID } from 'node:crypto';
import type { StackFacts } from '#simulators/stack-file.ts';
import { createFifo } from './queue.ts';
import type { Fifo } from './queue.ts';

/** A PC of a cafe as the generator knows it: its launcher's token, its one-time token, and who plays at it. */
export interface Pc {
  readonly cafe: StackFacts['cafes'][number];
  readonly machineId: string;
  readonly user: string;
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
}

/** PCs in the order of their last use, in three queues by how far their players have come; one that a request is on its way for is in none. */
export interface Pcs {
  /** Their launchers run. */
  readonly idle: Fifo<Pc>;
  /** They have a token that nobody has presented yet. */
  readonly launching: Fifo<Pc>;
  readonly playing: Fifo<Pc>;
  /** Game session ids that were given out. */
  readonly ids: Set<string>;
  /** A PC nobody has used yet; it is in no queue. */
  newPc(): Pc;
}

/** No PCs yet; new ones stand in the cafes of the stack in turn. */
export const createPcs = (cafes: StackFacts['cafes']): Pcs => {
  let made = 0;
  return {
    idle: createFifo(),
    launching: createFifo(),
    playing: createFifo(),
    ids: new Set(),
    newPc: () => {
      const cafe = cafes[(made += 1) % cafes.length];
      if (cafe === undefined) throw new Error('the stack has no cafes');
      const none = {
        sessionToken: '',
        launcherSeenMs: 0,
        intervalSec: 0,
        ottUntilMs: 0,
      };
      return {
        ...{ cafe, machineId: randomUUID(), user: `bench-${randomUUID()}` },
        ...{ ...none, verifySentMs: 0, verifiedMs: 0, heardMs: 0 },
      };
    },
  };
};

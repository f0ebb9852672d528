import type { Stack } from '../../../deploy/local/stack.ts';
import type { Player } from '../seat-players.ts';

/** What is broken on purpose, and who is to hear of it. */
export interface Fault {
  readonly what: string;
  readonly alerts: readonly `Gsb${string}`[];
  /** What the product itself waits for before the fault shows, in ms: nothing of that is compressed. */
  readonly showsAfterMs?: number;
  /** Breaks it, once. */
  readonly begin?: () => Promise<unknown>;
  /** What suffers from it; repeated until the alerts have been received. */
  readonly again?: () => Promise<unknown>;
  readonly heal?: () => Promise<unknown>;
}

/** What the faults break, and the players on it. */
export interface Broken {
  readonly stack: Stack;
  readonly players: readonly Player[];
}

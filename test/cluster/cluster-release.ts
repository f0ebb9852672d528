import type { Run } from '../../deploy/local/run.ts';
import type { Callers } from './callers.ts';
import type { Players } from './load.ts';
import type { Place } from './place.ts';
import type { Release } from './release.ts';
import type { Stores } from './stores.ts';
import type { Teller } from './step-report.ts';

/** What every step of the test has at hand. */
export interface Stage {
  readonly run: Run;
  readonly place: Place;
  readonly stores: Stores;
  readonly release: Release;
  readonly callers: Callers;
  readonly teller: Teller;
  /** Every session that was played, for the books at the end. */
  readonly sessions: string[];
  /** They sit through all of it. */
  readonly players: Players;
}

/** A stage before the players have sat down. */
export type EmptyStage = Omit<Stage, 'players'>;

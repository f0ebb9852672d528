import type { Run } from '../../deploy/local/run.ts';
import type { Callers } from './callers.ts';
import type { PlayedSession, Players } from './load.ts';
import type { Place } from './place.ts';
import type { Release } from './release.ts';
import type { Stores } from './stores.ts';
import type { StepReport } from './step-report.ts';

/** What every step of the test uses. */
export interface ClusterContext {
  readonly run: Run;
  readonly place: Place;
  readonly stores: Stores;
  readonly release: Release;
  readonly callers: Callers;
  readonly report: StepReport;
  /** Every session that was played, for the ledgers at the end. */
  readonly sessions: PlayedSession[];
  /** They sit through all of it. */
  readonly players: Players;
}

/** What the steps before the players sit down have. */
export type ContextWithoutPlayers = Omit<ClusterContext, 'players'>;

import type { Log } from '#libs/runtime/log.ts';
import { operatorNotices } from '#libs/runtime/operator-notices.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';

/** This many may always expire at once, and more than that up to this share of the live records (D-25). */
const alwaysAllowed = 50;
const allowedShare = 0.05;

/** How many expiries are due, of how many live records, and whether an operator has agreed to them. */
export interface Overdue {
  readonly overdue: number;
  readonly live: number;
  readonly agreed: boolean;
  /** For how long expiries have been held back while we were well, in ms; -1: they are not held back. */
  readonly heldMs: number;
  /** One whole expiry window, in ms. */
  readonly windowMs: number;
}

/** `open`: what is due expires; `holds`: nothing does; `releases`: what is due expires at a bounded rate. */
export type GuardState = 'open' | 'holds' | 'releases';

/** How long a sweep that is held back suspends expiries, in ms. */
export const suspendedMs = 5_000;

const limitOf = ({ live }: Overdue): number => Math.max(alwaysAllowed, live * allowedShare);

/** So many expiries at once are more likely our own fault than the players', until we have been well for a whole window and the last suspension is over: who is silent then is silent (D-25). */
export const guardState = (seen: Overdue): GuardState => {
  if (seen.agreed || seen.overdue <= limitOf(seen)) return 'open';
  return seen.heldMs >= seen.windowMs + suspendedMs ? 'releases' : 'holds';
};

/** Called at each sweep. */
export type MassExpiryGuard = (overdue: Overdue) => GuardState;

const gauge: Readonly<Record<GuardState, number>> = { open: 0, holds: 1, releases: 2 };
const notices: Readonly<Record<GuardState, string>> = {
  open: operatorNotices.sweeperGoesOn,
  holds: operatorNotices.sweeperPaused,
  releases: operatorNotices.sweeperReleases,
};

/** A guard that logs each change of its state, and exports it with the number of those that are due. */
export const createMassExpiryGuard = ({ log, metrics }: { log: Log; metrics: Metrics }): MassExpiryGuard => {
  const paused = metrics.gauge('gsb_sweeper_paused');
  const waiting = metrics.gauge('gsb_sweeper_overdue_records');
  const live = metrics.gauge('gsb_live_records');
  let state: GuardState = 'open';
  return (seen) => {
    const before = state;
    state = guardState(seen);
    paused.set(gauge[state]);
    waiting.set(seen.overdue);
    live.set(seen.live);
    const fields = { count: seen.overdue, limit: Math.floor(limitOf(seen)) };
    if (state !== before) log.warn(fields, notices[state]);
    return state;
  };
};

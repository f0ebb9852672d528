import type { Log } from '#libs/runtime/log.ts';
import { operatorNotices } from '#libs/runtime/operator-notices.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { realTime } from '#libs/runtime/time.ts';
import type { Time } from '#libs/runtime/time.ts';

/** This many may always expire at once, and more than that up to this share of the live records (D-25). */
const alwaysAllowed = 50;
const allowedShare = 0.05;

/** How many expiries are due, of how many live records, and whether an operator has agreed to them. */
export interface Overdue {
  readonly overdue: number;
  /**
   * Those, and whose heartbeat should have come long since. Heartbeats are spread, so that of an outage in front of us, in which none comes, a
   * sweep never sees more than a few that are due: before the first of them is, half of all are late.
   */
  readonly late: number;
  readonly live: number;
  readonly agreed: boolean;
  /** For how long a mass expiry that was due has been held back while we were well, in ms; -1: none is. */
  readonly heldMs: number;
  /** One whole expiry window, in ms. */
  readonly windowMs: number;
  /** How often a live record has a heartbeat, in ms. */
  readonly heartbeatMs: number;
}

/** `open`: what is due expires; `holds`: nothing does; `releases`: what is due expires at a bounded rate. */
export type GuardState = 'open' | 'holds' | 'releases';

/** How long a sweep that is held back suspends expiries, in ms. */
export const suspendedMs = 5_000;

const limitOf = ({ live }: Overdue): number => Math.max(alwaysAllowed, live * allowedShare);
const areTooMany = (seen: Overdue): boolean => seen.late > limitOf(seen);

/** Whether so many are due that their expiry is held back from now on, and not only made ready for. */
export const isMassDue = (seen: Overdue): boolean => seen.overdue > limitOf(seen);

/**
 * So many who are late at once are more likely our own fault than the players'. Nobody expires until fewer are, and for as long after that as the
 * last of them may take to be heard; or until we have been well for a whole window and a heartbeat more, since too many were due, and the last
 * suspension is over: who is silent then is silent (D-25). `sinceMs`: how long ago they were too many.
 */
export const guardState = (seen: Overdue, sinceMs = Infinity): GuardState => {
  const tooMany = areTooMany(seen);
  if (seen.agreed || (!tooMany && sinceMs >= seen.heartbeatMs)) return 'open';
  if (seen.heldMs < seen.windowMs + seen.heartbeatMs + suspendedMs) return 'holds';
  return tooMany ? 'releases' : 'open';
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
export const createMassExpiryGuard = (
  { log, metrics }: { log: Pick<Log, 'warn'>; metrics: Pick<Metrics, 'gauge'> },
  { now }: Pick<Time, 'now'> = realTime,
): MassExpiryGuard => {
  const paused = metrics.gauge('gsb_sweeper_paused');
  const waiting = metrics.gauge('gsb_sweeper_overdue_records');
  const live = metrics.gauge('gsb_live_records');
  let state: GuardState = 'open';
  let tooManyAt = -Infinity;
  return (seen) => {
    const before = state;
    if (areTooMany(seen)) tooManyAt = now();
    state = guardState(seen, now() - tooManyAt);
    paused.set(gauge[state]);
    waiting.set(seen.overdue);
    live.set(seen.live);
    const fields = { count: seen.late, limit: Math.floor(limitOf(seen)) };
    if (state !== before) log.warn(fields, notices[state]);
    return state;
  };
};

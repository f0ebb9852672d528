import type { Log } from '#libs/runtime/log.ts';
import { operatorNotices } from '#libs/runtime/operator-notices.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';

/** This many may always expire at once, and more than that up to this share of the live records (D-25). */
const alwaysAllowed = 50;
const allowedShare = 0.05;

/** How often a live record has a heartbeat, and how long it may be silent, in ms. */
export interface Windows {
  readonly heartbeatMs: number;
  readonly windowMs: number;
}

/** How many expiries are due, of how many live records, and whether an operator has agreed to them. */
export interface Overdue extends Windows {
  readonly overdue: number;
  /**
   * Those, and those who are late. Heartbeats are spread, so that of an outage in front of us, in which none comes, a sweep never sees more than a
   * few that are due; but before the first of them is, many are late.
   */
  readonly late: number;
  readonly live: number;
  readonly agreed: boolean;
  /** For how long a mass expiry has been held back while we were well, in ms; -1: none is. */
  readonly heldMs: number;
  /** For how long nobody's silence will be believed, in ms; 0: it is. */
  readonly suspendedMs: number;
}

/** `open`: what is due expires; `holds`: nothing does; `releases`: what is due expires at a bounded rate. */
export type GuardState = 'open' | 'holds' | 'releases';

/** So long before its expiry a record is late: halfway from the heartbeat that did not come to the end of its window, or half a heartbeat. */
export const lateMs = ({ windowMs, heartbeatMs }: Windows): number =>
  Math.floor(Math.min(windowMs - heartbeatMs, heartbeatMs) / 2);

/** Who is silent for so long after too many were late is silent: a window, and a heartbeat for the last of the others to be heard. */
const heldAtMostMs = (windows: Windows): number => windows.windowMs + windows.heartbeatMs + lateMs(windows);

const limitOf = ({ live }: Overdue): number => Math.max(alwaysAllowed, live * allowedShare);
const areTooMany = (seen: Overdue): boolean => seen.late > limitOf(seen);

/**
 * So many who are late at once are more likely our own fault than the players'. Nobody's silence is believed until fewer are, and then as long as
 * the last of them may take to be heard; or until we have been well for so long that who is silent is silent (D-25).
 */
export const guardState = (seen: Overdue): GuardState => {
  if (seen.agreed) return 'open';
  const isOver = seen.heldMs >= heldAtMostMs(seen);
  if (areTooMany(seen)) return isOver ? 'releases' : 'holds';
  return seen.suspendedMs > 0 && !isOver ? 'holds' : 'open';
};

/** For how long a sweep that is held back suspends expiries, in ms: a heartbeat where too many are late, and never beyond the time at which who is silent is silent. */
export const suspendsMs = (seen: Overdue): number =>
  areTooMany(seen) ? Math.min(seen.heartbeatMs, heldAtMostMs(seen) - Math.max(0, seen.heldMs)) : 0;

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
    const fields = { count: seen.late, limit: Math.floor(limitOf(seen)) };
    if (state !== before) log.warn(fields, notices[state]);
    return state;
  };
};

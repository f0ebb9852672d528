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
}

const limitOf = ({ live }: Overdue): number => Math.max(alwaysAllowed, live * allowedShare);

/** Whether so many expiries at once are more likely our own fault than the players' (D-25). */
export const isTooMany = (seen: Overdue): boolean => !seen.agreed && seen.overdue > limitOf(seen);

/** Called at each sweep; true: nothing may expire now. */
export type MassExpiryGuard = (overdue: Overdue) => boolean;

/** A guard that logs when it begins and ceases to hold expiries back, and exports both as metrics. */
export const createMassExpiryGuard = ({ log, metrics }: { log: Log; metrics: Metrics }): MassExpiryGuard => {
  const paused = metrics.gauge('gsb_sweeper_paused');
  const waiting = metrics.gauge('gsb_sweeper_overdue_records');
  let holds = false;
  return (seen) => {
    const before = holds;
    holds = isTooMany(seen);
    paused.set(holds ? 1 : 0);
    waiting.set(seen.overdue);
    const fields = { count: seen.overdue, limit: Math.floor(limitOf(seen)) };
    if (holds && !before) log.warn(fields, operatorNotices.sweeperPaused);
    if (before && !holds) log.warn(fields, operatorNotices.sweeperGoesOn);
    return holds;
  };
};

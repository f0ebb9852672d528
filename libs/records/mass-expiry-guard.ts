import type { Log } from '#libs/runtime/log.ts';
import { operatorNotices } from '#libs/runtime/operator-notices.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';

/** So many may always expire at once, and such a part of those that live (reliability R7). */
const alwaysAllowed = 50;
const allowedPart = 0.05;

/** Expiries that are due, of how many live records, and whether an operator has agreed to them. */
export interface Overdue {
  readonly overdue: number;
  readonly live: number;
  readonly agreed: boolean;
}

const limitOf = ({ live }: Overdue): number => Math.max(alwaysAllowed, live * allowedPart);

/** Whether so many may expire at once: more than that is rather our own fault than the players' (D-25). */
export const isTooMany = (seen: Overdue): boolean => !seen.agreed && seen.overdue > limitOf(seen);

/** Told at each sweep; true: nothing may expire now. */
export type MassExpiryGuard = (overdue: Overdue) => boolean;

/** A brake that says when it takes hold and when it lets go. */
export const createMassExpiryGuard = ({ log, metrics }: { log: Log; metrics: Metrics }): MassExpiryGuard => {
  const paused = metrics.gauge('gsb_sweeper_paused');
  const waiting = metrics.gauge('gsb_sweeper_overdue_records');
  let holds = false;
  return (seen) => {
    const before = holds;
    holds = isTooMany(seen);
    paused.set(holds ? 1 : 0);
    waiting.set(seen.overdue);
    const what = { count: seen.overdue, limit: Math.floor(limitOf(seen)) };
    if (holds && !before) log.warn(what, operatorNotices.sweeperPaused);
    if (before && !holds) log.warn(what, operatorNotices.sweeperGoesOn);
    return holds;
  };
};

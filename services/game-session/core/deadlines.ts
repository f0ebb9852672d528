import type { Limits } from '#libs/kernel/limits.ts';
import { graceOverAtMs, plays, silentAtMs } from './session.ts';
import type { Session } from './session.ts';
import type { EndReason } from './session-states.ts';

/** An outage of ours is not counted against a player: what would expire becomes due again when the amnesty is over (D-11). */
export const spare = (session: Session, amnestyUntilMs: number): Session | undefined =>
  plays(session) ? { ...session, version: session.version + 1, deadlineAtMs: amnestyUntilMs } : undefined;

/** Why a session expires, once its deadline and any amnesty have passed: silence or the end of the grace, whichever came first. Undefined: it does not. */
export const overdueReason = (
  session: Session,
  nowMs: number,
  limits: Limits,
  amnestyUntilMs = 0,
): EndReason | undefined => {
  if (!plays(session) || nowMs < session.deadlineAtMs || nowMs < amnestyUntilMs) return undefined;
  return graceOverAtMs(session, limits) <= silentAtMs(session.lastSeenAtMs, limits)
    ? 'grace_over'
    : 'silence';
};

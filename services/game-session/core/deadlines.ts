import type { Limits } from '#libs/kernel/limits.ts';
import { endWithLauncherAt } from './launcher-change.ts';
import type { LauncherChange } from './launcher-change.ts';
import { beat, close, graceOverAtMs, plays, remind, silentAtMs } from './session.ts';
import type { Session } from './session.ts';
import type { EndReason } from './session-states.ts';

/** What decides about a session at an instant, beside the session itself. */
export interface Circumstances {
  readonly nowMs: number;
  /** Until when nothing expires because of an outage of ours, in ms since the epoch (D-11). */
  readonly amnestyUntilMs: number;
  /** What the launcher of the session's PC did last; undefined: nothing that is remembered. */
  readonly launcher?: LauncherChange | undefined;
}

/** Why a session expires, once its deadline and any amnesty have passed: silence or the end of the grace, whichever came first. Undefined: it does not. */
export const overdueReason = (
  session: Session,
  { nowMs, amnestyUntilMs }: Circumstances,
  limits: Limits,
): EndReason | undefined => {
  if (!plays(session) || nowMs < session.deadlineAtMs || nowMs < amnestyUntilMs) return undefined;
  return graceOverAtMs(session, limits) <= silentAtMs(session.lastSeenAtMs, limits)
    ? 'grace_over'
    : 'silence';
};

/** A session after a heartbeat: it plays on, or ends now because it is overdue or its launcher lapsed or ended (spec 3.2). Undefined: it had ended before. */
export const afterHeartbeat = (session: Session, now: Circumstances, limits: Limits): Session | undefined => {
  const { nowMs, launcher } = now;
  const reason = overdueReason(session, now, limits);
  const end = reason ? { reason, atMs: nowMs } : endWithLauncherAt(session, launcher);
  return end ? close(session, { ...end, nowMs }, limits) : beat(session, nowMs, limits);
};

/** A session after an end, with the seconds that the game measured; overdue, it had ended before the call (D-10). Undefined: it had ended already. */
export const afterEnd = (
  session: Session,
  now: Circumstances,
  limits: Limits,
  clientSec: number | undefined,
): Session | undefined => {
  const reason = overdueReason(session, now, limits) ?? 'game_ended';
  return close(session, { reason, nowMs: now.nowMs, clientSec }, limits);
};

/** An outage of ours is not counted against a player: what would expire becomes due again when the amnesty is over (D-11). */
export const spare = (session: Session, amnestyUntilMs: number): Session | undefined =>
  plays(session) ? { ...session, version: session.version + 1, deadlineAtMs: amnestyUntilMs } : undefined;

/** A session when its deadline has passed: one that plays ends or is spared, the end of play is published again, one that ended is forgotten (D-06, D-10, D-11). */
export const afterDeadline = (
  session: Session,
  now: Circumstances,
  limits: Limits,
): Session | 'forget' | undefined => {
  if (now.nowMs < session.deadlineAtMs) return undefined;
  if (session.state === 'ended') return 'forget';
  const reason = overdueReason(session, now, limits);
  if (reason) return close(session, { reason, nowMs: now.nowMs }, limits);
  return spare(session, now.amnestyUntilMs) ?? remind(session, now.nowMs);
};

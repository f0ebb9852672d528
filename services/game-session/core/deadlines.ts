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
  /** Until when nobody's silence is believed, in ms since the epoch: an amnesty, or a mass expiry is held back (D-25). */
  readonly suspendedUntilMs: number;
  /** What the launcher of the session's PC did last; undefined: nothing that is remembered. */
  readonly launcher?: LauncherChange | undefined;
}

const isByGrace = (session: Session, limits: Limits): boolean =>
  graceOverAtMs(session, limits) <= silentAtMs(session.lastSeenAtMs, limits);

/** Why a session expires: by silence or the end of the grace, whichever comes first. */
export const expiryReason = (session: Session, limits: Limits): EndReason =>
  isByGrace(session, limits) ? 'grace_over' : 'silence';

/** Until when a session does not expire. The end of a grace is nobody's silence: only an amnesty delays it. */
export const sparedUntilMs = (session: Session, now: Circumstances, limits: Limits): number =>
  isByGrace(session, limits) ? now.amnestyUntilMs : now.suspendedUntilMs;

/** Why a session expires, once its deadline and what spares it have passed. Undefined: it does not. */
export const overdueReason = (
  session: Session,
  now: Circumstances,
  limits: Limits,
): EndReason | undefined => {
  const { nowMs } = now;
  if (!plays(session) || nowMs < session.deadlineAtMs) return undefined;
  if (nowMs < sparedUntilMs(session, now, limits)) return undefined;
  return expiryReason(session, limits);
};

/**
 * A session whose play ends by what happened at `atMs`, of a clock that may be ahead (D-35), and is known only now. Where it was overdue by then
 * it had ended before, although nobody has swept it yet (D-10).
 */
export const closeFor = (
  session: Session,
  { reason, atMs }: { readonly reason: 'replaced' | 'launcher_ended'; readonly atMs: number },
  now: Circumstances,
  limits: Limits,
): Session | undefined => {
  const whenMs = Math.min(atMs, now.nowMs);
  const before = overdueReason(session, { ...now, nowMs: whenMs }, limits);
  return close(session, { reason: before ?? reason, nowMs: now.nowMs, atMs: whenMs }, limits);
};

/** The launcher closed at `atMs`: the session that played then is over. One that began later is left as it is, for the event may come late. */
export const closeWithLauncher = (
  session: Session,
  atMs: number,
  now: Circumstances,
  limits: Limits,
): Session | undefined =>
  session.startedAtMs > atMs ? undefined : closeFor(session, { reason: 'launcher_ended', atMs }, now, limits);

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

/** An outage of ours is not counted against a player: what would expire becomes due again when it is not spared any more (D-11, D-25). */
export const spare = (session: Session, untilMs: number): Session | undefined =>
  plays(session) ? { ...session, version: session.version + 1, deadlineAtMs: untilMs } : undefined;

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
  return spare(session, sparedUntilMs(session, now, limits)) ?? remind(session, now.nowMs);
};

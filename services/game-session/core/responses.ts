import type { ErrorCode } from '#libs/contracts/errors.ts';
import type { EndReason, Session } from './session.ts';

type Heard = ErrorCode | 'SESSION_REPLACED';

/** What a heartbeat hears of a session that no longer plays: while billing is being stopped, and after (spec 3.2, D-06, D-07). */
const heartbeatHears: Record<EndReason, Record<'ending' | 'ended', Heard>> = {
  game_ended: { ending: 'SESSION_ENDING', ended: 'SESSION_ENDED' },
  grace_over: { ending: 'SESSION_ENDING', ended: 'SESSION_ENDED' },
  launcher_ended: { ending: 'SESSION_ENDING', ended: 'SESSION_ENDED' },
  launcher_lapsed: { ending: 'SESSION_ENDED', ended: 'SESSION_ENDED' },
  replaced: { ending: 'SESSION_REPLACED', ended: 'SESSION_REPLACED' },
  silence: { ending: 'SESSION_NOT_FOUND', ended: 'SESSION_NOT_FOUND' },
};

/** What a heartbeat hears, or undefined when the session plays. */
export const heartbeatResponse = ({ state, endReason }: Session): Heard | undefined =>
  (state === 'ending' || state === 'ended') && endReason ? heartbeatHears[endReason][state] : undefined;

/** What an end hears, or undefined when the session plays: after silence nobody knows it, otherwise it was ended (D-07). */
export const endResponse = ({ endReason }: Session): ErrorCode | undefined => {
  if (endReason === null) return undefined;
  return endReason === 'silence' ? 'SESSION_NOT_FOUND' : 'ALREADY_ENDED';
};

/** Seconds until the next heartbeat: never beyond the grace (D-08). */
export const nextHeartbeatSec = (session: Session, nowMs: number, intervalSec: number): number => {
  if (session.exhaustedAtMs === null) return intervalSec;
  return Math.max(1, Math.min(intervalSec, Math.ceil((session.deadlineAtMs - nowMs) / 1000)));
};

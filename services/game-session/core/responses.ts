import type { ErrorCode } from '#libs/contracts/errors.ts';
import type { Session } from './session.ts';
import { endings } from './session-states.ts';

/** What a heartbeat receives, or undefined when the session plays (spec 4.2, D-06, D-07). */
export const heartbeatResponse = ({
  state,
  endReason,
}: Session): ErrorCode | 'SESSION_REPLACED' | undefined =>
  (state === 'ending' || state === 'ended') && endReason ? endings[endReason].heartbeat[state] : undefined;

/** What an end receives, or undefined when the session plays (spec 4.3, D-07). */
export const endResponse = ({ endReason }: Session): ErrorCode | undefined =>
  endReason === null ? undefined : endings[endReason].end;

/** Seconds until the next heartbeat: never beyond the grace (D-08). */
export const nextHeartbeatSec = (session: Session, nowMs: number, intervalSec: number): number => {
  if (session.exhaustedAtMs === null) return intervalSec;
  return Math.max(1, Math.min(intervalSec, Math.ceil((session.deadlineAtMs - nowMs) / 1000)));
};

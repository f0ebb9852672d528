import type { EventData } from '#libs/contracts/events.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import type { Circumstances } from './deadlines.ts';
import { takeSeat } from './seats.ts';
import { begin, close, settle } from './session.ts';
import type { Session } from './session.ts';

/** A session whose billing was refused: it ended before it began, without a second of play, and without a stop that it waited for (D-34). */
export const neverBegun = (
  refused: EventData<'billing.refused'>,
  nowMs: number,
  limits: Limits,
): Session | undefined => {
  const closed = close(begin(refused, limits), { reason: 'silence', nowMs }, limits);
  const settled = closed && settle(closed, 0, nowMs, limits);
  return settled && { ...settled, partnerPlayDurationSec: null };
};

/** A session at its start: it takes the PC's seat (I2), unless it would have expired already: then it is over at once, and its billing is stopped (I6, D-34). */
export const atStart = (
  fresh: Session,
  seated: Session | undefined,
  now: Circumstances,
  limits: Limits,
): ReturnType<typeof takeSeat> | undefined =>
  now.nowMs < fresh.deadlineAtMs
    ? takeSeat(fresh, seated, now, limits)
    : close(fresh, { reason: 'silence', nowMs: now.nowMs }, limits);

/**
 * Whether the session was over before anybody could play it: its verify is answered 503, and its billing must stop. It came too late (D-34), or a
 * later one of its PC plays already (I2).
 */
export const isStillborn = ({ endReason, startedAtMs, endedAtMs }: Session): boolean =>
  (endReason === 'silence' || endReason === 'replaced') && endedAtMs === startedAtMs;

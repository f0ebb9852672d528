import { errors, Refusal } from '#libs/contracts/errors.ts';
import type { ErrorCode } from '#libs/contracts/errors.ts';
import type { EventData } from '#libs/contracts/events.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { heartbeatLimit, intervalMs } from '#libs/kernel/rate.ts';
import { plays } from './session.ts';
import type { Heard, Session } from './session.ts';
import { endings, notFound, whilePlaying } from './session-states.ts';
import type { EndResponse, HeartbeatResponse } from './session-states.ts';

/** Whether the balance is used up, and seconds until the next heartbeat: what the partner's answer to a renewal makes of a session. */
export interface Renewal {
  readonly exhausted: boolean;
  readonly nextHeartbeatIn: number;
}

/** What a heartbeat receives (spec 4.2, D-06, D-07), by the table of session-states.ts. */
export const heartbeatResponse = ({
  state,
  endReason,
}: Pick<Session, 'state' | 'endReason'>): HeartbeatResponse => {
  if (state === 'active' || state === 'charge_exhausted') return whilePlaying[state].heartbeat;
  return endReason === null ? notFound.heartbeat : endings[endReason].heartbeat[state];
};

/** What an end receives (spec 4.3, D-07), by the table of session-states.ts. `endedNow`: this end has just ended the session. */
export const endResponse = ({ endReason }: Session, endedNow = false): EndResponse => {
  if (endReason === null || (endedNow && endReason === 'game_ended')) return whilePlaying.active.end;
  return endings[endReason].end;
};

/**
 * Seconds until the next heartbeat. In a grace half of what is left of it, but no sooner than one may come (D-42) while that is within it: who
 * waits as long as he is told hears of a top-up before it is over (D-08). Where only an amnesty keeps a session whose grace is over (D-11), as
 * often as one may come.
 */
const nextHeartbeatSec = (session: Heard, nowMs: number, { heartbeatIntervalSec }: Limits): number => {
  if (!plays(session) || session.exhaustedAtMs === null) return heartbeatIntervalSec;
  const soonestMs = intervalMs(heartbeatLimit(heartbeatIntervalSec));
  const leftMs = session.deadlineAtMs - nowMs;
  const isWithin = leftMs <= 0 || soonestMs < leftMs;
  const pauseMs = isWithin ? Math.max(leftMs / 2, soonestMs) : leftMs / 2;
  return Math.max(1, Math.min(heartbeatIntervalSec, Math.floor(pauseMs / 1000)));
};

/** What a heartbeat that waits for its renewal receives, by the session as it is now. */
export const renewalOf = (session: Heard, nowMs: number, limits: Limits): Renewal => ({
  exhausted: session.state === 'charge_exhausted',
  nextHeartbeatIn: nextHeartbeatSec(session, nowMs, limits),
});

const isError = (response: string): response is ErrorCode => response in errors;

/** The answer to a heartbeat: from the renewal where it came in time, else from the session's last known state. Throws the Refusal of a session that is over. */
export const heartbeatAnswer = (session: Heard, renewal: Renewal) => {
  const playing = whilePlaying[renewal.exhausted ? 'charge_exhausted' : 'active'].heartbeat;
  const result = plays(session) ? playing : heartbeatResponse(session);
  if (isError(result)) throw new Refusal(result);
  const { nextHeartbeatIn } = renewal;
  return { result, nextHeartbeatIn, playDurationSec: session.playDurationSec };
};

/** What a verify receives when billing did not start: NOT_CHARGEABLE where it cannot, for now or at all (D-12); one that came too late may be tried again. */
export const refusedBillingReply = (reason: EventData<'billing.refused'>['reason']) =>
  reason === 'too_late'
    ? { unavailable: true as const }
    : { isValid: false as const, reason: 'NOT_CHARGEABLE' as const };

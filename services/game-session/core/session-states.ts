import type { z } from 'zod';
import type { end, heartbeat } from '#libs/contracts/api/game.ts';
import type { ErrorCode } from '#libs/contracts/errors.ts';
import type { endReason, gameSession } from '#libs/contracts/events/game-sessions.ts';

/** A state of a stored session. Spec 3.2 names two conditions more: `replaced` is an end reason, `not found` has no record, or one that ended by silence. */
export type State = z.output<typeof gameSession>['state'];
/** Why play ended. */
export type EndReason = z.output<typeof endReason>;
/** What happens to a session. */
export type Trigger = 'beat' | 'deplete' | 'warn' | 'recharge' | 'close' | 'remind' | 'settle';

/** Spec 3.2: the next state of each trigger. A pair that is absent leaves the session as it is. */
export const transitions: Record<State, Partial<Record<Trigger, State>>> = {
  active: { beat: 'active', deplete: 'charge_exhausted', close: 'ending' },
  charge_exhausted: {
    beat: 'charge_exhausted',
    warn: 'charge_exhausted',
    recharge: 'active',
    close: 'ending',
  },
  ending: { remind: 'ending', settle: 'ended' },
  ended: {},
};

/** What a heartbeat receives: a result of spec 4.2 or an error of spec part 7. */
export type HeartbeatResponse = z.output<typeof heartbeat.data>['result'] | ErrorCode;
/** What an end receives: a result of spec 4.3 or an error of spec part 7. */
export type EndResponse = z.output<typeof end.data>['result'] | ErrorCode;

/** What callers receive while the player plays. */
export const whilePlaying = {
  active: { heartbeat: 'OK', end: 'SUCCESS' },
  charge_exhausted: { heartbeat: 'CHARGE_EXHAUSTED', end: 'SUCCESS' },
} as const satisfies Partial<Record<State, { heartbeat: HeartbeatResponse; end: EndResponse }>>;

/**
 * The last proof of life, until which play counts (D-09): `now` is when the service closes the session, `end call` when the end came, or when
 * the session would have expired before that but for an outage of ours, `last heartbeat` the last one
 * accepted, `cause` the moment at which the cause happened (the successor began, the launcher closed), which is known only later.
 */
export type LastProof = 'now' | 'end call' | 'last heartbeat' | 'cause';

interface Ending {
  /** What a heartbeat receives while billing is being stopped, and after that. */
  readonly heartbeat: Record<'ending' | 'ended', ErrorCode | 'SESSION_REPLACED'>;
  /** What an end receives in both. */
  readonly end: ErrorCode;
  readonly playsUntil: LastProof;
}

const asEnded = { ending: 'SESSION_ENDING', ended: 'SESSION_ENDED' } as const;

/** Each way for play to end, with what it means for callers (D-06, D-07) and for the seconds (D-09). `launcher_lapsed` is the launcher's silence of spec 3.2. */
export const endings: Record<EndReason, Ending> = {
  game_ended: { heartbeat: asEnded, end: 'ALREADY_ENDED', playsUntil: 'end call' },
  grace_over: { heartbeat: asEnded, end: 'ALREADY_ENDED', playsUntil: 'last heartbeat' },
  launcher_ended: { heartbeat: asEnded, end: 'ALREADY_ENDED', playsUntil: 'cause' },
  launcher_lapsed: {
    heartbeat: { ending: 'SESSION_ENDED', ended: 'SESSION_ENDED' },
    end: 'ALREADY_ENDED',
    playsUntil: 'now',
  },
  replaced: {
    heartbeat: { ending: 'SESSION_REPLACED', ended: 'SESSION_REPLACED' },
    end: 'ALREADY_ENDED',
    playsUntil: 'cause',
  },
  silence: {
    heartbeat: { ending: 'SESSION_NOT_FOUND', ended: 'SESSION_NOT_FOUND' },
    end: 'SESSION_NOT_FOUND',
    playsUntil: 'last heartbeat',
  },
};

/** What callers receive for a session that is not stored (never was, or is forgotten), or is another game's or user's (D-05). */
export const notFound = { heartbeat: 'SESSION_NOT_FOUND', end: 'SESSION_NOT_FOUND' } as const;

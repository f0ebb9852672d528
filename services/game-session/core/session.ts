import type { z } from 'zod';
import type { endReason, gameSession } from '#libs/contracts/events/game-sessions.ts';
import type { EventData } from '#libs/contracts/events.ts';
import type { Camel } from '#libs/contracts/wire.ts';
import { wholeSeconds } from '#libs/kernel/clock.ts';
import type { Limits } from '#libs/kernel/limits.ts';

/** A game session (spec 2.2). */
export type Session = Camel<z.output<typeof gameSession>>;
/** Why play ended. */
export type EndReason = z.output<typeof endReason>;
type State = Session['state'];
type Trigger = 'beat' | 'deplete' | 'recharge' | 'close' | 'remind' | 'settle';

/** How long the partner has to confirm a stop before `ending` is published again, in ms. */
export const remindAfterMs = 10_000;

/** Spec 3.2. A pair that is absent does not happen to a session. */
export const transitions = {
  active: { beat: 'active', deplete: 'charge_exhausted', close: 'ending' },
  charge_exhausted: { beat: 'charge_exhausted', recharge: 'active', close: 'ending' },
  ending: { remind: 'ending', settle: 'ended' },
  ended: {},
} as const satisfies Record<State, Partial<Record<Trigger, State>>>;

const moved = (session: Session, trigger: Trigger, change: Partial<Session>): Session | undefined => {
  const next: Partial<Record<Trigger, State>> = transitions[session.state];
  const state = next[trigger];
  return state && { ...session, ...change, state, version: session.version + 1 };
};

const silentAtMs = (lastSeenAtMs: number, limits: Limits): number =>
  lastSeenAtMs + (limits.sessionExpirySec + limits.sessionExpirySlackSec) * 1000;

const graceOverAtMs = ({ exhaustedAtMs }: Session, limits: Limits): number =>
  exhaustedAtMs === null ? Infinity : exhaustedAtMs + limits.graceSec * 1000;

/** The instant of the next look: silence (D-10), or the end of the grace if that comes first (D-08). */
const deadlineOf = (session: Session, limits: Limits): number =>
  Math.min(silentAtMs(session.lastSeenAtMs, limits), graceOverAtMs(session, limits));

const withDeadline = (session: Session | undefined, limits: Limits): Session | undefined =>
  session && { ...session, deadlineAtMs: deadlineOf(session, limits) };

/** A session as billing's start makes it: its first proof of life is that start (D-09). */
export const begin = (
  { order }: EventData<'billing.started'>,
  limits: Limits,
  traceparent: string | null = null,
): Session => {
  const { presentationId: _of, tokenHash: _spent, startedAtMs, ...seat } = order;
  const deadlineAtMs = silentAtMs(startedAtMs, limits);
  return {
    ...seat,
    ...{ version: 1, state: 'active', startedAtMs, lastSeenAtMs: startedAtMs, deadlineAtMs },
    traceparent,
    ...{ exhaustedAtMs: null, endedAtMs: null, endReason: null },
    ...{ playDurationSec: 0, clientPlayDurationSec: null, partnerPlayDurationSec: null },
  };
};

/** The game server says that the player still plays. */
export const beat = (session: Session, nowMs: number, limits: Limits): Session | undefined => {
  const playDurationSec = wholeSeconds(session.startedAtMs, nowMs);
  return withDeadline(moved(session, 'beat', { lastSeenAtMs: nowMs, playDurationSec }), limits);
};

/** The balance is used up: the grace begins. */
export const deplete = (session: Session, nowMs: number, limits: Limits): Session | undefined =>
  withDeadline(moved(session, 'deplete', { exhaustedAtMs: nowMs }), limits);

/** A top-up came within the grace (D-08). */
export const recharge = (session: Session, limits: Limits): Session | undefined =>
  withDeadline(moved(session, 'recharge', { exhaustedAtMs: null }), limits);

type LastProof = (session: Session, closing: EndOfPlay, limits: Limits) => number;

/** What ended play is heard of later than it happened; only a heartbeat in between proves more. */
const thatMoment: LastProof = ({ lastSeenAtMs }, { nowMs, atMs = nowMs }, limits) =>
  Math.min(lastSeenAtMs + limits.heartbeatIntervalSec * 1000, Math.max(lastSeenAtMs, atMs));

/** The last proof of life that each reason rests on (D-09), in ms. */
const lastProofMs: Record<EndReason, LastProof> = {
  game_ended: (_, { nowMs }) => nowMs,
  launcher_lapsed: (_, { nowMs }) => nowMs,
  silence: ({ lastSeenAtMs }) => lastSeenAtMs,
  grace_over: ({ lastSeenAtMs }) => lastSeenAtMs,
  replaced: thatMoment,
  launcher_ended: thatMoment,
};

/** Why and when play ends, and what the game measured itself. `atMs`: when the successor began or the launcher closed, which is heard of later. */
export interface EndOfPlay {
  readonly reason: EndReason;
  readonly nowMs: number;
  readonly atMs?: number;
  readonly clientSec?: number | undefined;
}

/** Play is over: its seconds are final from here on. */
export const close = (session: Session, closing: EndOfPlay, limits: Limits): Session | undefined => {
  const { reason, nowMs, clientSec } = closing;
  const endedAtMs = Math.max(session.startedAtMs, lastProofMs[reason](session, closing, limits));
  return moved(session, 'close', {
    endedAtMs,
    endReason: reason,
    playDurationSec: wholeSeconds(session.startedAtMs, endedAtMs),
    clientPlayDurationSec: clientSec ?? null,
    deadlineAtMs: nowMs + remindAfterMs,
  });
};

/** The partner has not confirmed: say once more that play is over (D-06). */
export const remind = (session: Session, nowMs: number): Session | undefined =>
  moved(session, 'remind', { deadlineAtMs: nowMs + remindAfterMs });

/** The partner confirmed the stop; the session is remembered for a while (D-10). */
export const settle = (
  session: Session,
  partnerSec: number,
  nowMs: number,
  limits: Limits,
): Session | undefined =>
  moved(session, 'settle', {
    partnerPlayDurationSec: partnerSec,
    deadlineAtMs: nowMs + limits.endedMemorySec * 1000,
  });

/** Whether the player still plays. */
export const plays = ({ state }: Session): boolean => state === 'active' || state === 'charge_exhausted';

/** Our own outage is not counted against a player: what would expire is looked at again when the amnesty is over (D-11). */
export const spare = (session: Session, amnestyUntilMs: number): Session | undefined =>
  plays(session) ? { ...session, version: session.version + 1, deadlineAtMs: amnestyUntilMs } : undefined;

/** Which reason a playing session's own deadline has, once it and any amnesty have passed: whichever of silence and the grace's end came first. */
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

import type { z } from 'zod';
import type { gameSession } from '#libs/contracts/events/game-sessions.ts';
import type { EventData } from '#libs/contracts/events.ts';
import type { Camel } from '#libs/contracts/wire.ts';
import { clockToleranceMs, wholeSeconds } from '#libs/kernel/clock.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { endings, transitions } from './session-states.ts';
import type { EndReason, LastProof, Trigger } from './session-states.ts';

/** A game session (spec 2.2). */
export type Session = Camel<z.output<typeof gameSession>>;

/** What the answer to a heartbeat is made of. */
export type Heard = Pick<
  Session,
  'state' | 'endReason' | 'exhaustedAtMs' | 'deadlineAtMs' | 'playDurationSec'
>;

/** How long the partner has to confirm a stop before `ending` is published again, in ms; the pauses after that double, up to the longest (D-06). */
export const remindAfterMs = 10_000;
/** The longest of these pauses, in ms. */
export const longestPauseMs = 300_000;

const moved = (session: Session, trigger: Trigger, change: Partial<Session>): Session | undefined => {
  const state = transitions[session.state][trigger];
  return state && { ...session, ...change, state, version: session.version + 1 };
};

/** When a session that was seen last at this instant expires by silence (D-10). */
export const silentAtMs = (lastSeenAtMs: number, limits: Limits): number =>
  lastSeenAtMs + (limits.sessionExpirySec + limits.sessionExpirySlackSec) * 1000;

/** When the grace ends; Infinity before CHARGE_EXHAUSTED has been answered (D-08, D-37). */
export const graceOverAtMs = ({ exhaustedAtMs }: Session, limits: Limits): number =>
  exhaustedAtMs === null ? Infinity : exhaustedAtMs + limits.graceSec * 1000;

/** When a playing session expires, unless it is spared: at its silence, or at the end of its grace if that comes first. */
const expiresAtMs = (session: Session, limits: Limits): number =>
  Math.min(silentAtMs(session.lastSeenAtMs, limits), graceOverAtMs(session, limits));

const withDeadline = (session: Session | undefined, limits: Limits): Session | undefined =>
  session && { ...session, deadlineAtMs: expiresAtMs(session, limits) };

/** The last sign of life; now, where that was noted by a clock that was further ahead than clocks may be (D-35). */
const seenAtMs = ({ lastSeenAtMs }: Session, nowMs: number): number =>
  lastSeenAtMs <= nowMs + clockToleranceMs ? lastSeenAtMs : nowMs;

/** Now, but not before the last sign of life: the clock of a store that took over may be behind. */
const notBeforeSeenMs = (session: Session, nowMs: number): number =>
  Math.max(seenAtMs(session, nowMs), nowMs);

/** A session as billing's start makes it: its first proof of life is that start (D-09). */
export const begin = (
  { order }: EventData<'billing.started' | 'billing.refused'>,
  limits: Limits,
  traceparent: string | null = null,
): Session => {
  const { presentationId: _presentation, tokenHash: _token, startedAtMs, ...played } = order;
  const deadlineAtMs = silentAtMs(startedAtMs, limits);
  return {
    // First, where who reads the log looks for it.
    version: 1,
    ...played,
    ...{ state: 'active', startedAtMs, lastSeenAtMs: startedAtMs, deadlineAtMs },
    traceparent,
    ...{ exhaustedAtMs: null, endedAtMs: null, endReason: null },
    ...{ playDurationSec: 0, clientPlayDurationSec: null, partnerPlayDurationSec: null, reminders: 0 },
  };
};

/** A heartbeat: the player still plays. */
export const beat = (session: Session, nowMs: number, limits: Limits): Session | undefined => {
  const lastSeenAtMs = notBeforeSeenMs(session, nowMs);
  const playDurationSec = wholeSeconds(session.startedAtMs, lastSeenAtMs);
  return withDeadline(moved(session, 'beat', { lastSeenAtMs, playDurationSec }), limits);
};

/** The balance is used up; the grace begins when the game server has been told. */
export const deplete = (session: Session, limits: Limits): Session | undefined =>
  withDeadline(moved(session, 'deplete', {}), limits);

/** CHARGE_EXHAUSTED is the answer to a heartbeat: the grace begins, once (D-37). */
export const warn = (session: Session, nowMs: number, limits: Limits): Session | undefined =>
  session.exhaustedAtMs === null
    ? withDeadline(moved(session, 'warn', { exhaustedAtMs: nowMs }), limits)
    : undefined;

/** A top-up came within the grace (D-08). */
export const recharge = (session: Session, limits: Limits): Session | undefined =>
  withDeadline(moved(session, 'recharge', { exhaustedAtMs: null }), limits);

/** Why play ends, and what the game server measured itself. `atMs`: when the cause happened, where that is not now. */
export interface EndOfPlay {
  readonly reason: EndReason;
  readonly nowMs: number;
  readonly atMs?: number;
  readonly clientSec?: number | undefined;
}

/** The instants of `LastProof`. A cause counts from the last heartbeat at the earliest, and to one heartbeat interval after it at the latest. */
const lastProofMs = (
  session: Session,
  { nowMs, atMs = nowMs }: EndOfPlay,
  limits: Limits,
): Record<LastProof, number> => {
  const [seenMs, now] = [seenAtMs(session, nowMs), notBeforeSeenMs(session, nowMs)];
  return {
    now,
    'end call': Math.min(now, Math.max(seenMs, expiresAtMs(session, limits))),
    'last heartbeat': seenMs,
    cause: Math.min(seenMs + limits.heartbeatIntervalSec * 1000, Math.max(seenMs, atMs)),
  };
};

/** Play is over; its seconds are final. */
export const close = (session: Session, end: EndOfPlay, limits: Limits): Session | undefined => {
  const { reason, nowMs, clientSec } = end;
  const playedUntilMs = lastProofMs(session, end, limits)[endings[reason].playsUntil];
  const endedAtMs = Math.max(session.startedAtMs, playedUntilMs);
  return moved(session, 'close', {
    endedAtMs,
    endReason: reason,
    playDurationSec: wholeSeconds(session.startedAtMs, endedAtMs),
    clientPlayDurationSec: clientSec ?? null,
    deadlineAtMs: nowMs + remindAfterMs,
  });
};

/** The partner has not confirmed the stop: `ending` is to be published again (D-06). */
export const remind = (session: Session, nowMs: number): Session | undefined => {
  const reminders = session.reminders + 1;
  const pauseMs = Math.min(longestPauseMs, remindAfterMs * 2 ** reminders);
  return moved(session, 'remind', { reminders, deadlineAtMs: nowMs + pauseMs });
};

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
export const plays = ({ state }: Pick<Session, 'state'>): boolean =>
  state === 'active' || state === 'charge_exhausted';

import { z } from 'zod';
import { cafeId, instantMs, ipAddress, pcId, sha256 } from '#libs/contracts/fields.ts';
import type { Camel } from '#libs/contracts/wire.ts';
import type { Limits } from '#libs/kernel/limits.ts';

/** A launcher session as it is stored (spec 2.4): the token only as its hash. */
export const launcherSession = z.object({
  version: z.int().positive(),
  id: z.string().max(80),
  token_hash: sha256,
  state: z.enum(['live', 'replaced', 'lapsed', 'ended']),
  launcher_session_id: z.uuid(),
  cafe_id: cafeId,
  pc_id: pcId,
  ip: ipAddress,
  is_pc_cafe: z.boolean(),
  /** The key that its start was signed with; null for one that began before this was noted. */
  key_id: z.string().max(128).nullable().default(null),
  /** Which secret that key had; null as above. */
  key_fingerprint: z.string().max(64).nullable().default(null),
  /** Whether the PC signed with a key of its own (D-48); null as above. */
  is_own_key: z.boolean().nullable().default(null),
  /** When its token ends, however alive the launcher is (D-45); null as above. */
  ends_at_ms: instantMs.nullable().default(null),
  /** The trace of its start, which its requests link to; null where that is not kept, and as above. */
  traceparent: z.string().max(55).nullable().default(null),
  last_seen_at_ms: instantMs,
  deadline_at_ms: instantMs,
  /** When it ended or lapsed, while the log has not taken that event; null: nothing is pending. */
  pending_since_ms: instantMs.nullable().default(null),
});

/** A launcher session: which PC of which cafe a launcher runs on. */
export type LauncherSession = Camel<z.output<typeof launcherSession>>;
type State = LauncherSession['state'];
type Trigger = 'beat' | 'replace' | 'lapse' | 'end';

/** D-13: the next state of each trigger. A pair that is absent leaves the session as it is. */
export const transitions: Record<State, Partial<Record<Trigger, State>>> = {
  live: { beat: 'live', replace: 'replaced', lapse: 'lapsed', end: 'ended' },
  replaced: {},
  lapsed: {},
  ended: {},
};

/** How long a launcher may be silent, in ms: its time, and the slack of game sessions for the network (D-10, D-13). */
export const silenceMs = ({ launcherSilenceSec, sessionExpirySlackSec }: Limits): number =>
  (launcherSilenceSec + sessionExpirySlackSec) * 1000;

/** A session as it begins, live and seen now. */
export const begin = (
  started: Omit<
    LauncherSession,
    'version' | 'state' | 'endsAtMs' | 'lastSeenAtMs' | 'deadlineAtMs' | 'pendingSinceMs'
  >,
  nowMs: number,
  limits: Limits,
): LauncherSession => {
  const deadlineAtMs = nowMs + silenceMs(limits);
  const endsAtMs = nowMs + limits.launcherSessionSec * 1000;
  const alive = { state: 'live' as const, endsAtMs, lastSeenAtMs: nowMs, deadlineAtMs, pendingSinceMs: null };
  return { ...started, version: 1, ...alive };
};

/** How long the log has to take the event of an end or a lapse before it is published again, in ms (D-36). */
const publishAgainMs = 10_000;

/** When a session in this state is due: a live one by silence, one with a pending event to publish it, any other when it is forgotten (D-10). */
const deadlineOf = (
  { state, pendingSinceMs }: Pick<LauncherSession, 'state' | 'pendingSinceMs'>,
  nowMs: number,
  limits: Limits,
): number => {
  if (state === 'live') return nowMs + silenceMs(limits);
  return nowMs + (pendingSinceMs === null ? limits.endedMemorySec * 1000 : publishAgainMs);
};

/** The session after a trigger; undefined where the table has no such transition. A beat restarts the silence; an end or a lapse has an event to publish. */
export const advance = (
  session: LauncherSession,
  trigger: Trigger,
  nowMs: number,
  limits: Limits,
): LauncherSession | undefined => {
  const state = transitions[session.state][trigger];
  if (state === undefined) return undefined;
  const lastSeenAtMs = trigger === 'beat' || trigger === 'end' ? nowMs : session.lastSeenAtMs;
  const pendingSinceMs = state === 'lapsed' || state === 'ended' ? nowMs : null;
  const moved = { ...session, state, lastSeenAtMs, pendingSinceMs, version: session.version + 1 };
  return { ...moved, deadlineAtMs: deadlineOf(moved, nowMs, limits) };
};

/** The session when the log has the event of its end or lapse. */
export const published = (session: LauncherSession, nowMs: number, limits: Limits): LauncherSession => {
  const moved = { ...session, pendingSinceMs: null, version: session.version + 1 };
  return { ...moved, deadlineAtMs: deadlineOf(moved, nowMs, limits) };
};

/** The instant of a read, and until when nobody's silence is believed (D-11, D-25), in ms since the epoch. */
export interface Instant {
  readonly nowMs: number;
  readonly suspendedUntilMs: number;
}

/** Whether the session's token is still accepted at this instant: the launcher was heard of lately, and its lifetime is not over (D-45). */
export const isLive = (
  session: LauncherSession | undefined,
  { nowMs, suspendedUntilMs }: Instant,
): session is LauncherSession =>
  session?.state === 'live' &&
  nowMs < Math.max(session.deadlineAtMs, suspendedUntilMs) &&
  nowMs < (session.endsAtMs ?? Infinity);

/** The session after a sign of life; undefined when it is no longer live. */
export const afterSignOfLife = (
  session: LauncherSession,
  now: Instant,
  limits: Limits,
): LauncherSession | undefined =>
  isLive(session, now) ? advance(session, 'beat', now.nowMs, limits) : undefined;

/** A new session takes the PC's seat, and the one that holds it is replaced (D-13). The game session of the PC plays on. */
export const takeSeat = (
  fresh: LauncherSession,
  seated: LauncherSession | undefined,
  nowMs: number,
  limits: Limits,
) => ({ record: fresh, displaced: seated && advance(seated, 'replace', nowMs, limits) });

/** An outage of ours is not counted against a launcher: what would lapse becomes due again when it is not spared any more (D-11, D-25). */
const spare = (
  session: LauncherSession,
  { nowMs, suspendedUntilMs }: Instant,
): LauncherSession | undefined =>
  session.state === 'live' && nowMs < suspendedUntilMs
    ? { ...session, version: session.version + 1, deadlineAtMs: suspendedUntilMs }
    : undefined;

/** The log has not taken the event: it is due again after a while. */
const remind = (session: LauncherSession, nowMs: number, limits: Limits): LauncherSession | undefined =>
  session.pendingSinceMs === null
    ? undefined
    : { ...session, version: session.version + 1, deadlineAtMs: deadlineOf(session, nowMs, limits) };

/** A session when its deadline has passed: a live one lapses or is spared, a pending event is published again, one that is over is forgotten. */
export const afterDeadline = (
  session: LauncherSession,
  now: Instant,
  limits: Limits,
): LauncherSession | 'forget' | undefined => {
  if (now.nowMs < session.deadlineAtMs) return undefined;
  const lapsed = advance(session, 'lapse', now.nowMs, limits);
  return spare(session, now) ?? lapsed ?? remind(session, now.nowMs, limits) ?? 'forget';
};

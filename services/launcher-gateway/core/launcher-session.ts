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
  last_seen_at_ms: instantMs,
  deadline_at_ms: instantMs,
});

/** Who sits at which PC of which cafe. */
export type LauncherSession = Camel<z.output<typeof launcherSession>>;
type State = LauncherSession['state'];
type Trigger = 'beat' | 'replace' | 'lapse' | 'end';

/** D-13. A pair that is absent does not happen to a launcher session. */
export const transitions = {
  live: { beat: 'live', replace: 'replaced', lapse: 'lapsed', end: 'ended' },
  replaced: {},
  lapsed: {},
  ended: {},
} as const satisfies Record<State, Partial<Record<Trigger, State>>>;

/** The session after a trigger; undefined where the trigger means nothing to it. A sign of life moves the lapse, and closing is the last one; a closed one is remembered as long as an ended game session. */
export const advance = (
  session: LauncherSession,
  trigger: Trigger,
  nowMs: number,
  limits: Limits,
): LauncherSession | undefined => {
  const next: Partial<Record<Trigger, State>> = transitions[session.state];
  const state = next[trigger];
  if (state === undefined) return undefined;
  const lastSeenAtMs = trigger === 'beat' || trigger === 'end' ? nowMs : session.lastSeenAtMs;
  const lastsSec = state === 'live' ? limits.launcherSilenceSec : limits.endedMemorySec;
  return {
    ...session,
    state,
    lastSeenAtMs,
    version: session.version + 1,
    deadlineAtMs: nowMs + lastsSec * 1000,
  };
};

/** The instant of a look, and until when nothing lapses because we were away (D-11), in ms since the epoch. */
export interface Instant {
  readonly nowMs: number;
  readonly amnestyUntilMs: number;
}

/** Our own outage is not counted against a launcher: its lapse is looked at again when the amnesty is over (D-11). */
export const spare = (
  session: LauncherSession,
  { nowMs, amnestyUntilMs }: Instant,
): LauncherSession | undefined =>
  session.state === 'live' && nowMs < amnestyUntilMs
    ? { ...session, version: session.version + 1, deadlineAtMs: amnestyUntilMs }
    : undefined;

/** Whether the session's token still opens doors at this instant. */
export const isLive = (
  session: LauncherSession | undefined,
  { nowMs, amnestyUntilMs }: Instant,
): session is LauncherSession =>
  session?.state === 'live' && nowMs < Math.max(session.deadlineAtMs, amnestyUntilMs);

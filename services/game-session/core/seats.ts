import type { Limits } from '#libs/kernel/limits.ts';
import { closeFor, expiryReason } from './deadlines.ts';
import type { Circumstances } from './deadlines.ts';
import { close, plays } from './session.ts';
import type { Session } from './session.ts';

/**
 * Who plays at a PC when a session begins there while another one may hold its seat (I2). Of the two the later one plays on; the earlier
 * one is replaced at the moment when the later one began, unless it had expired by then (D-10), so that both are billed for the same second only
 * where the earlier one was still heard of while the later one's start was under way (D-09). A new session that began before the seated one,
 * because its start was delayed, is itself replaced from its beginning, without a second: its verify is answered 503, and one before both may
 * have been billed until the later one began.
 */
export const takeSeat = (
  fresh: Session,
  seated: Session | undefined,
  now: Circumstances,
  limits: Limits,
): Session | { record: Session; displaced: Session | undefined } => {
  if (seated === undefined || !plays(seated)) return fresh;
  const replaced = { reason: 'replaced', atMs: fresh.startedAtMs } as const;
  if (fresh.startedAtMs < seated.startedAtMs)
    return close(fresh, { ...replaced, nowMs: now.nowMs }, limits) ?? fresh;
  return { record: fresh, displaced: closeFor(seated, replaced, now, limits) };
};

/** One live session a PC (I2): of several that the log knows as live, the last to start plays on, and each replaced the one before it when it started, or found it expired. */
export const oneLivePerPc = (sessions: readonly Session[], limits: Limits): Session[] => {
  const inOrder = sessions
    .filter(plays)
    .toSorted(
      (one, other) =>
        one.startedAtMs - other.startedAtMs || (one.gameSessionId < other.gameSessionId ? -1 : 1),
    );
  const byPc = Map.groupBy(inOrder, ({ pcId }) => pcId);
  return sessions.map((session) => {
    const onPc = byPc.get(session.pcId) ?? [];
    const next = plays(session) ? onPc[onPc.indexOf(session) + 1] : undefined;
    if (next === undefined) return session;
    const reason = next.startedAtMs < session.deadlineAtMs ? 'replaced' : expiryReason(session, limits);
    return close(session, { reason, nowMs: next.startedAtMs }, limits) ?? session;
  });
};

import type { Limits } from '#libs/kernel/limits.ts';
import { close, plays } from './session.ts';
import type { Session } from './session.ts';

/**
 * Who plays at a PC when a session begins there while another one may hold its seat (I2). Of the two the later one plays on; the earlier
 * one is replaced at the moment when the later one began, so that no second is billed to both (D-09). A new session that began before
 * the seated one, because its start was delayed, is itself replaced from its beginning.
 */
export const takeSeat = (
  fresh: Session,
  seated: Session | undefined,
  nowMs: number,
  limits: Limits,
): Session | { record: Session; displaced: Session | undefined } => {
  if (seated === undefined || !plays(seated)) return fresh;
  const replacedAt = (session: Session, atMs: number) =>
    close(session, { reason: 'replaced', nowMs, atMs }, limits);
  if (fresh.startedAtMs < seated.startedAtMs) return replacedAt(fresh, seated.startedAtMs) ?? fresh;
  return { record: fresh, displaced: replacedAt(seated, fresh.startedAtMs) };
};

/** One live session a PC (I2): of several that the log knows as live, the last to start plays on, and replaced the others when it started. */
export const oneLivePerPc = (sessions: readonly Session[], limits: Limits): Session[] => {
  const last = new Map<string, Session>();
  for (const session of sessions.filter(plays)) {
    const known = last.get(session.pcId);
    if (known === undefined || known.startedAtMs < session.startedAtMs) last.set(session.pcId, session);
  }
  return sessions.map((session) => {
    const holder = last.get(session.pcId);
    if (!plays(session) || holder === undefined || holder === session) return session;
    return close(session, { reason: 'replaced', nowMs: holder.startedAtMs }, limits) ?? session;
  });
};

import type { Limits } from '#libs/kernel/limits.ts';
import { close, plays } from './session.ts';
import type { Session } from './session.ts';

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

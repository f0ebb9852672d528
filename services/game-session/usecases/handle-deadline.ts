import { overdueReason, spare } from '../core/deadlines.ts';
import { close, remind } from '../core/session.ts';
import type { Session } from '../core/session.ts';
import type { Look, Ports } from '../ports.ts';
import { changeSession } from './support/change-session.ts';

const forget = ({ sessions }: Ports, session: Session) =>
  sessions.commit([{ before: session, after: undefined }]);

/** A deadline has passed: silence or an ended grace closes, `ending` is said again, an ended session is forgotten (architecture, idea B). */
export const handleDeadline =
  (ports: Ports) =>
  async (gameSessionId: string): Promise<void> => {
    const due = (session: Session, { nowMs, amnestyUntilMs }: Look): Session | undefined => {
      if (nowMs < session.deadlineAtMs) return undefined;
      const reason = overdueReason(session, nowMs, ports.limits, amnestyUntilMs);
      if (reason) return close(session, { reason, nowMs }, ports.limits);
      return spare(session, amnestyUntilMs) ?? remind(session, nowMs);
    };
    const { look, after } = await changeSession(ports, gameSessionId, due);
    if (after?.state === 'ending') return ports.publish('game-session.ending', { session: after });
    const { session, nowMs } = look;
    if (session?.state === 'ended' && nowMs >= session.deadlineAtMs) await forget(ports, session);
  };

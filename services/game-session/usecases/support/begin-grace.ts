import { Refusal } from '#libs/contracts/errors.ts';
import { renewalOf } from '../../core/responses.ts';
import type { Renewal } from '../../core/responses.ts';
import { plays, warn } from '../../core/session.ts';
import type { Session } from '../../core/session.ts';
import type { Ports } from '../../ports.ts';

/** Publishes the session in its grace; while the log is down it is left pending (D-23). */
const publishGrace = async ({ publish, pending, waits }: Ports, session: Session): Promise<void> => {
  try {
    await publish('game-session.exhausted', { session }, { timeoutMs: waits.heartbeatMs });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await pending.add(session.gameSessionId);
  }
};

/**
 * What a heartbeat answers: when that is CHARGE_EXHAUSTED for the first time, the grace begins now, however long ago the partner said it
 * (D-37). A top-up that came in between is answered OK.
 */
export const beginGrace = async (ports: Ports, gameSessionId: string, renewal: Renewal): Promise<Renewal> => {
  if (!renewal.exhausted) return renewal;
  const { sessions, limits } = ports;
  const { record, after, nowMs } = await sessions.update(
    gameSessionId,
    (current) => current.record && warn(current.record, current.nowMs, limits),
  );
  if (after) await publishGrace(ports, after);
  const session = after ?? record;
  return session && plays(session) ? renewalOf(session, nowMs, limits) : renewal;
};

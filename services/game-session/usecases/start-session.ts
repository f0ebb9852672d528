import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { verifyReply } from '#libs/contracts/events/otts.ts';
import { unavailable } from '#libs/contracts/errors.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { begin, close, plays } from '../core/session.ts';
import type { Session } from '../core/session.ts';
import type { Ports, SessionChange } from '../ports.ts';

const mostTries = 10;

interface Seated {
  readonly session: Session;
  readonly replaced?: Session | undefined;
}

/**
 * One of two that meet at a PC is replaced, at the moment when the later one began, so that no second is billed to both (D-09): whoever
 * sits there, or the new one itself when it was long on its way.
 */
const seating = (fresh: Session, sitting: Session | undefined, nowMs: number, limits: Limits) => {
  const replacedAt = (session: Session, atMs: number) =>
    close(session, { reason: 'replaced', nowMs, atMs }, limits);
  if (sitting === undefined || !plays(sitting)) return { session: fresh, replaced: undefined, sits: true };
  if (sitting.startedAtMs <= fresh.startedAtMs)
    return { session: fresh, replaced: replacedAt(sitting, fresh.startedAtMs), sits: true };
  const late = replacedAt(fresh, sitting.startedAtMs) ?? fresh;
  return { session: late, replaced: late, sits: false };
};

/** One atomic step (I2): the session begins, takes the seat, and whoever sat there is replaced. One that is known already stays as it is. */
const takeSeat = async (ports: Ports, fresh: Session): Promise<Seated> => {
  const { sessions, limits } = ports;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const { session: known, holder, nowMs } = await sessions.look(fresh.gameSessionId, fresh.pcId);
    if (known) return { session: known };
    const sitting = holder === undefined ? undefined : (await sessions.look(holder)).session;
    const { session, replaced, sits } = seating(fresh, sitting, nowMs, limits);
    const seat = { before: holder, after: sits ? session.gameSessionId : holder };
    const leaves = sits && replaced ? [{ before: sitting, after: replaced }] : [];
    const changes: SessionChange[] = [{ before: undefined, after: session, seat }, ...leaves];
    if (await sessions.commit(changes)) return { session, replaced };
  }
  throw unavailable();
};

/** Spec 3.2, first row: billing runs, so the session begins. Heard twice, it begins once. */
export const startSession =
  (ports: Ports) =>
  async (started: EventData<'billing.started'>, meta: EventMeta): Promise<void> => {
    const { session, replaced } = await takeSeat(ports, begin(started, ports.limits, ports.traceparent()));
    const { gameSessionId, isPcCafe, version } = session;
    ports.reply(meta, verifyReply, { isValid: true, gameSessionId, isPcCafe });
    // A later version has been on the log already, and it carries the whole session.
    if (version === 1) await ports.publish('game-session.started', { session });
    if (replaced) await ports.publish('game-session.ending', { session: replaced });
  };

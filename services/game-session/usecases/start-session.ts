import type { EventData } from '#libs/contracts/events.ts';
import { unavailable } from '#libs/contracts/errors.ts';
import { begin, close } from '../core/session.ts';
import type { Session } from '../core/session.ts';
import type { Ports, SessionChange } from '../ports.ts';

const mostTries = 10;

/** The session that sits at the PC now, closed as replaced when its successor began: no second is billed to both. Undefined when nobody plays there. */
const replacement = async ({ sessions, limits }: Ports, holder: string | undefined, atMs: number) => {
  if (holder === undefined) return undefined;
  const { session: before, nowMs } = await sessions.look(holder);
  const after = before && close(before, { reason: 'replaced', nowMs, atMs }, limits);
  return after && { before, after };
};

interface Seated {
  readonly session: Session;
  readonly replaced?: Session | undefined;
}

/** One atomic step (I2): the new session begins, takes the seat, and whoever sat there is replaced. One that is known already stays as it is. */
const takeSeat = async (ports: Ports, session: Session): Promise<Seated> => {
  const { sessions } = ports;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const { session: known, holder } = await sessions.look(session.gameSessionId, session.pcId);
    if (known) return { session: known };
    const old = await replacement(ports, holder, session.startedAtMs);
    const seat = { before: holder, after: session.gameSessionId };
    const changes: SessionChange[] = [{ before: undefined, after: session, seat }, ...(old ? [old] : [])];
    if (await sessions.commit(changes)) return { session, replaced: old?.after };
  }
  throw unavailable();
};

/** Spec 3.2, first row: billing runs, so the session begins. Heard twice, it begins once. */
export const startSession =
  (ports: Ports) =>
  async (started: EventData<'billing.started'>): Promise<void> => {
    const { session, replaced } = await takeSeat(ports, begin(started, ports.limits, ports.traceparent()));
    const { gameSessionId, isPcCafe, version } = session;
    ports.tell({ isValid: true, gameSessionId, isPcCafe });
    // A later version has been on the log already, and it carries the whole session.
    if (version === 1) await ports.publish('game-session.started', { session });
    if (replaced) await ports.publish('game-session.ending', { session: replaced });
  };

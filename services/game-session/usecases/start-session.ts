import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { verifyReply } from '#libs/contracts/events/otts.ts';
import { takeSeat } from '../core/seats.ts';
import { begin, plays } from '../core/session.ts';
import type { Ports } from '../ports.ts';

/** Spec 3.2, first row: billing runs, so the session begins and takes the PC's seat in one step (I2). A redelivered event leaves it as it is. */
export const startSession =
  ({ sessions, limits, publish, reply, traceparent }: Ports) =>
  async (started: EventData<'billing.started'>, meta: EventMeta): Promise<void> => {
    const fresh = begin(started, limits, traceparent());
    const { gameSessionId, isPcCafe, pcId } = fresh;
    const {
      record: known,
      after: session = fresh,
      displaced,
    } = await sessions.update(
      gameSessionId,
      ({ record, seated, nowMs }) => record ?? takeSeat(fresh, seated, nowMs, limits),
      pcId,
    );
    reply(meta, verifyReply, { isValid: true, gameSessionId, isPcCafe });
    // Events of later versions carry the whole session, so only the first version needs this one.
    if (session.version === 1) await publish('game-session.started', { session });
    if (displaced) await publish('game-session.ending', { session: displaced });
    if (known === undefined && !plays(session)) await publish('game-session.ending', { session });
  };

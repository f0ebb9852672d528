import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { verifyReply } from '#libs/contracts/events/otts.ts';
import { begin, plays } from '../core/session.ts';
import { atStart, isStillborn } from '../core/start.ts';
import type { Ports } from '../ports.ts';
import { endAgain } from './support/end-again.ts';

/**
 * Spec 3.2, first row: billing runs, so the session begins and takes the PC's seat in one step (I2). A redelivered event leaves it as it
 * is. A start that comes after its refusal, when the session would have expired, or when a later one of its PC plays, begins nothing: its
 * billing is stopped (D-34). Where play is over, however it ended, it is stopped once more each time that the start is delivered again, since it
 * may have started billing again.
 */
export const startSession =
  ({ sessions, limits, balances, publish, reply, traceparent }: Ports) =>
  async (started: EventData<'billing.started'>, meta: EventMeta): Promise<void> => {
    const fresh = begin(started, limits, traceparent());
    const { gameSessionId, cafeId, isPcCafe, pcId } = fresh;
    if (started.remainingSec !== null) balances.told(cafeId, started.remainingSec);
    const {
      record: known,
      after: session = fresh,
      displaced,
    } = await sessions.update(
      gameSessionId,
      ({ record, seated, ...now }) => record ?? atStart(fresh, seated, now, limits),
      pcId,
      { isNew: true },
    );
    const accepted = { isValid: true as const, gameSessionId, isPcCafe };
    reply(meta, verifyReply, isStillborn(session) ? { unavailable: true } : accepted);
    if (displaced) await publish('game-session.ending', { session: displaced });
    // Events of later versions carry the whole session, so only the first version needs this one.
    if (session.version === 1) await publish('game-session.started', { session }, { lingers: true });
    if (known === undefined && !plays(session)) await publish('game-session.ending', { session });
    if (known !== undefined) await endAgain({ publish }, session);
  };

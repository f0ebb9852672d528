import type { heartbeat as contract } from '#libs/contracts/api/game.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { Call } from '#libs/http/route.ts';
import { afterHeartbeat } from '../core/deadlines.ts';
import { heartbeatAnswer, renewalOf } from '../core/responses.ts';
import { plays } from '../core/session.ts';
import type { Session } from '../core/session.ts';
import type { Caller, Ports } from '../ports.ts';
import { beginGrace } from './support/begin-grace.ts';
import { publishEnding } from './support/publish-ending.ts';
import { visibleSession } from './support/visible-session.ts';

/** Publishes the heartbeat and waits for its renewal; undefined when the partner is slow, or the log is down and the event is left pending (D-23). */
const renewed = async ({ request, pending, waits }: Ports, session: Session) => {
  try {
    return await request('game-session.heartbeat', { session }, { waitMs: waits.heartbeatMs });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await pending.add(session.gameSessionId);
    return undefined;
  }
};

/** Spec 4.2: the expiry restarts and billing is renewed. The answer is the partner's where it comes in time, else the last known state (D-12). */
export const heartbeat =
  (ports: Ports) =>
  async ({ body, caller }: Call<typeof contract, Caller>): Promise<Data<typeof contract>> => {
    const { sessions, limits } = ports;
    const visible = (found: Session | undefined) => visibleSession(found, caller, body.providerUserId);
    const { record, after, nowMs } = await sessions.update(body.gameSessionId, (current) =>
      afterHeartbeat(visible(current.record), current, limits),
    );
    const session = after ?? visible(record);
    if (session.endReason === 'silence') ports.notes.lateHeartbeat(session.gameId);
    if (after && !plays(after)) await publishEnding(ports, after);
    const known = renewalOf(session, nowMs, limits);
    if (!plays(session)) return heartbeatAnswer(session, known);
    const renewal = (await renewed(ports, session)) ?? known;
    return heartbeatAnswer(session, await beginGrace(ports, session.gameSessionId, renewal));
  };

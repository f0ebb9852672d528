import type { heartbeat as contract } from '#libs/contracts/api/game.ts';
import type { Sealed } from '#libs/contracts/delivery.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { Refusal, unavailable } from '#libs/contracts/errors.ts';
import { toWire } from '#libs/contracts/wire.ts';
import type { Call } from '#libs/http/route.ts';
import { afterHeartbeat } from '../core/deadlines.ts';
import { heartbeatAnswer, renewalOf } from '../core/responses.ts';
import { plays } from '../core/session.ts';
import type { Session } from '../core/session.ts';
import type { Beaten, Caller, Ports } from '../ports.ts';
import { beginGrace } from './support/begin-grace.ts';
import { publishEnding } from './support/publish-ending.ts';
import { visibleSession } from './support/visible-session.ts';

type HeartbeatCall = Call<typeof contract, Caller>;

/** Publishes the heartbeat and waits for its renewal; undefined when the partner is slow, or the log is down and the event is left pending (D-23). */
const renewed = async (
  { requestTogether, pending, waits, balances }: Ports,
  event: Sealed,
  cafeId: string,
) => {
  try {
    const reply = await requestTogether('game-session.heartbeat', event, { waitMs: waits.heartbeatMs });
    if (reply?.exhausted) balances.told(cafeId, 0);
    else if (reply?.remainingSec !== undefined) balances.told(cafeId, reply.remainingSec);
    return reply;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await pending.add(event.key);
    return undefined;
  }
};

/** The heartbeat of any session, by the table of core/deadlines.ts. Throws the refusal of one that is over. */
const decide = async (ports: Ports, { body, caller, incoming }: HeartbeatCall): Promise<Beaten> => {
  const { sessions, limits } = ports;
  const visible = (found: Session | undefined) => visibleSession(ports, found, caller, body.providerUserId);
  const { record, after, nowMs } = await sessions.updateByBeat(body.gameSessionId, (current) => {
    if (incoming.hasGone()) throw unavailable();
    return afterHeartbeat(visible(current.record), current, limits);
  });
  const session = after ?? visible(record);
  if (session.endReason === 'silence') ports.notes.lateHeartbeat(session.gameId);
  if (after && !plays(after)) await publishEnding(ports, after);
  return { nowMs, session, cafeId: session.cafeId, json: JSON.stringify(toWire(session)) };
};

/**
 * Spec 4.2: the expiry restarts and billing is renewed. The answer is the partner's where it comes in time, else the last known state
 * (D-12), which is enough where many come and the cafe's balance is known to last (D-62). A heartbeat whose caller has given up proves no
 * play (D-09), and neither does one too many (D-42).
 */
export const heartbeat =
  (ports: Ports) =>
  async (call: HeartbeatCall): Promise<Data<typeof contract>> => {
    const { body, caller, incoming } = call;
    const { gameSessionId, providerUserId } = body;
    if (incoming.hasGone()) throw unavailable();
    const whose = { gameId: caller.gameId, providerUserId };
    const beaten = await ports.sessions.beat(gameSessionId, whose);
    const { session, cafeId, json, nowMs } = beaten ?? (await decide(ports, call));
    const known = renewalOf(session, nowMs, ports.limits);
    if (!plays(session)) return heartbeatAnswer(session, known);
    const event = { key: gameSessionId, json: `{"session":${json}}` };
    if (session.state === 'active' && ports.balances.heartbeatCame(cafeId)) {
      ports.notes.heartbeatNotAwaited(caller.gameId);
      ports.publishHeartbeatLater(event);
      return heartbeatAnswer(session, known);
    }
    const renewal = (await renewed(ports, event, cafeId)) ?? known;
    return heartbeatAnswer(session, await beginGrace(ports, gameSessionId, renewal));
  };

import type { end as contract } from '#libs/contracts/api/game.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { Refusal, unavailable } from '#libs/contracts/errors.ts';
import type { Call } from '#libs/http/route.ts';
import { afterEnd } from '../core/deadlines.ts';
import { endResponse } from '../core/responses.ts';
import type { Caller, Ports } from '../ports.ts';
import { publishEnding } from './support/publish-ending.ts';
import { visibleSession } from './support/visible-session.ts';

type EndCall = Call<typeof contract, Caller>;

/** The session when it is over, and whether this call has ended it: in one step where nothing is to be decided, else by core/deadlines.ts. */
const ended = async (ports: Ports, { body, caller, incoming }: EndCall) => {
  const { gameSessionId, playDurationSec: clientSec } = body;
  const { sessions, limits } = ports;
  if (incoming.hasGone()) throw unavailable();
  const atOnce = await sessions.over.end(gameSessionId, { gameId: caller.gameId, clientSec });
  if (atOnce) return { session: atOnce, endedNow: true };
  const { record, after } = await sessions.update(gameSessionId, (current) => {
    if (incoming.hasGone()) throw unavailable();
    return afterEnd(visibleSession(ports, current.record, caller), current, limits, clientSec);
  });
  return { session: after ?? visibleSession(ports, record, caller), endedNow: after !== undefined };
};

/**
 * Spec 4.3: play is over now, and the answer does not wait for the partner. An end whose caller has given up ends nothing (D-09): the play
 * of the time for which it lay before us is nobody's, and whoever is not answered says it again, or falls silent.
 */
export const end =
  (ports: Ports) =>
  async (call: EndCall): Promise<Data<typeof contract>> => {
    const { session, endedNow } = await ended(ports, call);
    if (endedNow) await publishEnding(ports, session);
    const result = endResponse(session, endedNow);
    if (result !== 'SUCCESS') throw new Refusal(result);
    const { playDurationSec, clientPlayDurationSec } = session;
    return { result, playDurationSec, clientPlayDurationSec };
  };

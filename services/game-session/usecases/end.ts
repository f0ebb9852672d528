import type { end as contract } from '#libs/contracts/api/game.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { Refusal, unavailable } from '#libs/contracts/errors.ts';
import type { Call } from '#libs/http/route.ts';
import { afterEnd } from '../core/deadlines.ts';
import { endResponse } from '../core/responses.ts';
import type { Caller, Ports } from '../ports.ts';
import { publishEnding } from './support/publish-ending.ts';
import { visibleSession } from './support/visible-session.ts';

/**
 * Spec 4.3: play is over now, and the answer does not wait for the partner. An end whose caller has given up ends nothing (D-09): the play
 * of the time for which it lay before us is nobody's, and whoever is not answered says it again, or falls silent.
 */
export const end =
  (ports: Ports) =>
  async ({ body, caller, incoming }: Call<typeof contract, Caller>): Promise<Data<typeof contract>> => {
    const { record, after } = await ports.sessions.update(body.gameSessionId, (current) => {
      if (incoming.hasGone()) throw unavailable();
      const session = visibleSession(ports, current.record, caller);
      return afterEnd(session, current, ports.limits, body.playDurationSec);
    });
    const session = after ?? visibleSession(ports, record, caller);
    if (after) await publishEnding(ports, after);
    const result = endResponse(session, after !== undefined);
    if (result !== 'SUCCESS') throw new Refusal(result);
    const { playDurationSec, clientPlayDurationSec } = session;
    return { result, playDurationSec, clientPlayDurationSec };
  };

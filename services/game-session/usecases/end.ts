import type { end as contract } from '#libs/contracts/api/game.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { Call } from '#libs/http/route.ts';
import { afterEnd } from '../core/deadlines.ts';
import { endResponse } from '../core/responses.ts';
import type { Caller, Ports } from '../ports.ts';
import { publishEnding } from './support/publish-ending.ts';
import { visibleSession } from './support/visible-session.ts';

/** Spec 4.3: play is over now, and the answer does not wait for the partner. */
export const end =
  (ports: Ports) =>
  async ({ body, caller }: Call<typeof contract, Caller>): Promise<Data<typeof contract>> => {
    const { record, after } = await ports.sessions.update(body.gameSessionId, (current) =>
      afterEnd(visibleSession(ports, current.record, caller), current, ports.limits, body.playDurationSec),
    );
    const session = after ?? visibleSession(ports, record, caller);
    if (after) await publishEnding(ports, after);
    const result = endResponse(session, after !== undefined);
    if (result !== 'SUCCESS') throw new Refusal(result);
    const { playDurationSec, clientPlayDurationSec } = session;
    return { result, playDurationSec, clientPlayDurationSec };
  };

import type { end as contract } from '#libs/contracts/api/game.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { Call } from '#libs/http/route.ts';
import { endResponse } from '../core/responses.ts';
import { overdueReason } from '../core/deadlines.ts';
import { close } from '../core/session.ts';
import type { Caller, Ports } from '../ports.ts';
import { changeSession } from './support/change-session.ts';
import { ownSession } from './support/visible-session.ts';
import { publishEnding } from './support/publish-ending.ts';

/** Spec 4.3: play is over now, and the answer does not wait for the partner. */
export const end =
  (ports: Ports) =>
  async ({ body, caller }: Call<typeof contract, Caller>): Promise<Data<typeof contract>> => {
    const { look, after } = await changeSession(
      ports,
      body.gameSessionId,
      (found, { nowMs, amnestyUntilMs }) => {
        const session = ownSession(found, caller);
        if (endResponse(session)) return undefined;
        const reason = overdueReason(session, nowMs, ports.limits, amnestyUntilMs) ?? 'game_ended';
        return close(session, { reason, nowMs, clientSec: body.playDurationSec }, ports.limits);
      },
    );
    const session = after ?? ownSession(look.session, caller);
    if (after) await publishEnding(ports, after);
    if (session.endReason !== 'game_ended' || !after)
      throw new Refusal(endResponse(session) ?? 'ALREADY_ENDED');
    return {
      result: 'SUCCESS',
      playDurationSec: session.playDurationSec,
      clientPlayDurationSec: session.clientPlayDurationSec,
    };
  };

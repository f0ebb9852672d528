import type { heartbeat as contract } from '#libs/contracts/api/game.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { Call } from '#libs/http/route.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { heartbeatResponse, nextHeartbeatSec } from '../core/responses.ts';
import { overdueReason } from '../core/deadlines.ts';
import { beat, close } from '../core/session.ts';
import type { Session } from '../core/session.ts';
import type { EndReason } from '../core/session-states.ts';
import type { Caller, Look, Ports } from '../ports.ts';
import { changeSession } from './support/change-session.ts';
import { ownSession } from './support/visible-session.ts';
import { publishEnding } from './support/publish-ending.ts';

type Answer = Data<typeof contract>;

/** A lapse that is heard again after a new visitor sat down is not his. */
const endsNow = (
  session: Session,
  { nowMs, launcherLapsedAtMs = 0, amnestyUntilMs }: Look,
  limits: Limits,
): EndReason | undefined =>
  overdueReason(session, nowMs, limits, amnestyUntilMs) ??
  (launcherLapsedAtMs > session.startedAtMs ? 'launcher_lapsed' : undefined);

const refuseOrReplaced = (session: Session, nextHeartbeatIn: number): Answer => {
  const heard = heartbeatResponse(session);
  if (heard !== 'SESSION_REPLACED') throw new Refusal(heard ?? 'SESSION_NOT_FOUND');
  return { result: heard, nextHeartbeatIn, playDurationSec: session.playDurationSec };
};

const renewed = async ({ request, unsaid, waits }: Ports, session: Session) => {
  try {
    return await request('game-session.heartbeat', { session }, { waitMs: waits.heartbeatMs });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // The log is away: the heartbeat stands in Redis, its event follows, and the caller hears the last known state (D-23).
    await unsaid.note(session.gameSessionId);
    return undefined;
  }
};

/** Spec 4.2: the expiry restarts, billing is renewed, and the answer is the truth, or the last known state when the partner is slow. */
export const heartbeat =
  (ports: Ports) =>
  async ({ body, caller }: Call<typeof contract, Caller>): Promise<Answer> => {
    const { limits } = ports;
    const { look, after } = await changeSession(ports, body.gameSessionId, (found, seen) => {
      const session = ownSession(found, caller, body.providerUserId);
      const reason = heartbeatResponse(session) ? undefined : endsNow(session, seen, limits);
      return reason
        ? close(session, { reason, nowMs: seen.nowMs }, limits)
        : beat(session, seen.nowMs, limits);
    });
    const session = after ?? ownSession(look.session, caller, body.providerUserId);
    if (heartbeatResponse(session)) {
      if (after) await publishEnding(ports, session);
      return refuseOrReplaced(session, limits.heartbeatIntervalSec);
    }
    const outcome = await renewed(ports, session);
    const exhausted = outcome?.exhausted ?? session.state === 'charge_exhausted';
    return {
      result: exhausted ? 'CHARGE_EXHAUSTED' : 'OK',
      nextHeartbeatIn:
        outcome?.nextHeartbeatIn ?? nextHeartbeatSec(session, look.nowMs, limits.heartbeatIntervalSec),
      playDurationSec: session.playDurationSec,
    };
  };

import type { endSession as contract } from '#libs/contracts/api/launcher.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { Call } from '#libs/http/route.ts';
import { advance } from '../core/launcher-session.ts';
import type { Holder, Ports } from '../ports.ts';
import { changeSession } from './support/change-session.ts';

/** The launcher closes; game-session hears it and ends the PC's game session. */
export const endSession =
  (ports: Ports) =>
  async ({ caller }: Call<typeof contract, Holder>): Promise<Data<typeof contract>> => {
    let atMs = 0;
    const ended = await changeSession(ports, caller.session.id, (session, { nowMs }) => {
      atMs = nowMs;
      return advance(session, 'end', nowMs, ports.limits);
    });
    if (ended === undefined) throw new Refusal('INVALID_SESSION_TOKEN');
    const { launcherSessionId, cafeId, pcId } = ended;
    const closed = { launcherSessionId, cafeId, pcId, atMs };
    await ports.publish('launcher-session.ended', closed, { timeoutMs: ports.waits.publishMs });
    return { result: 'SUCCESS' };
  };

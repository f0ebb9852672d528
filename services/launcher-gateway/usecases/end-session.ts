import type { endSession as contract } from '#libs/contracts/api/launcher.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { Call } from '#libs/http/route.ts';
import { advance } from '../core/launcher-session.ts';
import type { Ports, SessionCaller } from '../ports.ts';

/** The launcher closes; game-session receives the event and ends the PC's game session (D-13). */
export const endSession =
  ({ sessions, limits, waits, publish }: Ports) =>
  async ({ caller }: Call<typeof contract, SessionCaller>): Promise<Data<typeof contract>> => {
    const { after, nowMs: atMs } = await sessions.update(
      caller.session.id,
      ({ record, nowMs }) => record && advance(record, 'end', nowMs, limits),
    );
    if (after === undefined) throw new Refusal('INVALID_SESSION_TOKEN');
    const { launcherSessionId, cafeId, pcId } = after;
    const closed = { launcherSessionId, cafeId, pcId, atMs };
    await publish('launcher-session.ended', closed, { timeoutMs: waits.publishMs });
    return { result: 'SUCCESS' };
  };

import type { endSession as contract } from '#libs/contracts/api/launcher.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { Call } from '#libs/http/route.ts';
import { advance } from '../core/launcher-session.ts';
import type { LauncherSession } from '../core/launcher-session.ts';
import type { Ports, SessionCaller } from '../ports.ts';
import { publishOver } from './support/publish-over.ts';

/** The end stands although a store is away: the session's deadline publishes it (D-36). */
const publishNowOrLater = async (ports: Ports, ended: LauncherSession): Promise<void> => {
  try {
    await publishOver(ports, ended, { timeoutMs: ports.waits.publishMs });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
};

/** The launcher closes; game-session receives the event and ends the PC's game session (D-13). */
export const endSession =
  (ports: Ports) =>
  async ({ caller }: Call<typeof contract, SessionCaller>): Promise<Data<typeof contract>> => {
    const { after: ended } = await ports.sessions.update(
      caller.session.id,
      ({ record, nowMs }) => record && advance(record, 'end', nowMs, ports.limits),
      undefined,
      { known: caller.read },
    );
    if (ended === undefined) throw new Refusal('INVALID_SESSION_TOKEN');
    await publishNowOrLater(ports, ended);
    return { result: 'SUCCESS' };
  };

import type { heartbeatSession as contract } from '#libs/contracts/api/launcher.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { Call } from '#libs/http/route.ts';
import { advance, isLive } from '../core/launcher-session.ts';
import type { Holder, Ports } from '../ports.ts';
import { changeSession } from './support/change-session.ts';

/** A sign of life moves the lapse (D-13). Throws INVALID_SESSION_TOKEN when the session is no longer live. */
export const signOfLife = async (ports: Ports, id: string): Promise<void> => {
  const alive = await changeSession(ports, id, (session, at) =>
    isLive(session, at) ? advance(session, 'beat', at.nowMs, ports.limits) : undefined,
  );
  if (alive === undefined) throw new Refusal('INVALID_SESSION_TOKEN');
};

/** The launcher is still there. */
export const heartbeatSession =
  (ports: Ports) =>
  async ({ caller }: Call<typeof contract, Holder>): Promise<Data<typeof contract>> => {
    await signOfLife(ports, caller.session.id);
    return { result: 'OK', nextHeartbeatIn: ports.limits.heartbeatIntervalSec };
  };

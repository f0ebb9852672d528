import type { heartbeatSession as contract } from '#libs/contracts/api/launcher.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import type { Call } from '#libs/http/route.ts';
import type { Ports, SessionCaller } from '../ports.ts';
import { checkSessionAddress } from './support/check-session-address.ts';
import { recordSignOfLife } from './support/record-sign-of-life.ts';

/** The launcher is still running (D-13), at an address that is still its cafe's (D-45). */
export const heartbeatSession =
  (ports: Ports) =>
  async ({ caller }: Call<typeof contract, SessionCaller>): Promise<Data<typeof contract>> => {
    await checkSessionAddress(ports, caller, ports.waits.ownBeatCheckMs);
    await recordSignOfLife(ports, caller, ports.rateLimits.heartbeats);
    return { result: 'OK', nextHeartbeatIn: ports.limits.heartbeatIntervalSec };
  };

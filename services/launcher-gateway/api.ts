import * as contract from '#libs/contracts/api/launcher.ts';
import { route } from '#libs/http/route.ts';
import type { Ports } from './ports.ts';
import { endSession } from './usecases/end-session.ts';
import { heartbeatSession } from './usecases/heartbeat-session.ts';
import { requestOtt } from './usecases/request-ott.ts';
import { startSession } from './usecases/start-session.ts';

/** D-13: what launchers call. */
export const api = (ports: Ports) => [
  route(contract.startSession, startSession(ports)),
  route(contract.heartbeatSession, heartbeatSession(ports)),
  route(contract.requestOtt, requestOtt(ports)),
  route(contract.endSession, endSession(ports)),
];

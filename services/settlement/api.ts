import * as contract from '#libs/contracts/api/settlement.ts';
import { route } from '#libs/http/route.ts';
import type { Ports } from './ports.ts';
import { getSession } from './usecases/get-session.ts';

/** The operators' API. */
export const api = (ports: Ports) => [route(contract.getSession, getSession(ports))];

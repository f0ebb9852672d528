import * as contract from '#libs/contracts/api/settlement.ts';
import { route, streamRoute } from '#libs/http/route.ts';
import type { Ports } from './ports.ts';
import type { DayPorts } from './statements/ports.ts';
import { getReconciliation } from './closing/get-reconciliation.ts';
import { getSession } from './ledger/get-session.ts';
import { getStatement } from './statements/get-statement.ts';

/** The operators' API. */
export const api = (ports: Ports & DayPorts) => [
  route(contract.getSession, getSession(ports)),
  streamRoute(contract.getStatement, getStatement(ports)),
  route(contract.getReconciliation, getReconciliation(ports)),
];

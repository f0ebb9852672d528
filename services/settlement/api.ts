import * as contract from '#libs/contracts/api/settlement.ts';
import { route, streamRoute } from '#libs/http/route.ts';
import { getReconciliation } from './closing/get-reconciliation.ts';
import type { ReconciliationPorts } from './closing/ports.ts';
import { getSession } from './ledger/get-session.ts';
import type { LedgerPorts } from './ledger/ports.ts';
import { getStatement } from './statements/get-statement.ts';
import type { StatementPorts } from './statements/ports.ts';

/** What the endpoints need from outside. */
export type ApiPorts = LedgerPorts & StatementPorts & ReconciliationPorts;

/** The operators' API: its endpoints and the use case of each. */
export const api = (ports: ApiPorts) => [
  route(contract.getSession, getSession(ports)),
  streamRoute(contract.getStatement, getStatement(ports)),
  route(contract.getReconciliation, getReconciliation(ports)),
];

import * as contract from '#libs/contracts/api/settlement.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { Catalog, Operator } from '#libs/catalog/catalog.ts';
import { countResults } from '#libs/http/count-results.ts';
import type { IncomingRequest } from '#libs/http/incoming-request.ts';
import { route, streamRoute } from '#libs/http/route.ts';
import type { Audit, OperatorAction } from '#libs/runtime/audit.ts';
import { getReconciliation } from './closing/get-reconciliation.ts';
import type { ReconciliationPorts } from './closing/ports.ts';
import { getSession } from './ledger/get-session.ts';
import type { LedgerPorts } from './ledger/ports.ts';
import { getStatement } from './statements/get-statement.ts';
import type { StatementPorts } from './statements/ports.ts';

/** What the endpoints need from outside. */
export type ApiPorts = LedgerPorts & StatementPorts & ReconciliationPorts;

const done = () => 'done';

/** The operators' API: its endpoints and the use case of each. Who asked for what is noted (D-40). */
export const api = (ports: ApiPorts, audit: Audit) => {
  const note = (
    outcome: string,
    { caller }: { caller: Operator },
    what: Omit<OperatorAction, 'operator' | 'outcome'>,
  ) => audit({ operator: caller.name, outcome, ...what });
  const session = countResults(getSession(ports), done, (outcome, call) =>
    note(outcome, call, { operation: 'session', gameSessionId: call.params.game_session_id }),
  );
  const statement = countResults(getStatement(ports), done, (outcome, call) => {
    const { day, cafe, game } = call.query;
    note(outcome, call, { operation: 'statement', day, cafeId: cafe, gameId: game });
  });
  const reconciliation = countResults(getReconciliation(ports), done, (outcome, call) =>
    note(outcome, call, { operation: 'reconciliation', day: call.params.day }),
  );
  return [
    route(contract.getSession, session),
    streamRoute(contract.getStatement, statement),
    route(contract.getReconciliation, reconciliation),
  ];
};

const bearer = /^Bearer +(\S+) *$/i;

/**
 * The operator whose key the request shows as a Bearer token, who may read the ledger (D-40). Throws INVALID_OPERATOR_KEY, or FORBIDDEN for
 * an operator without that role.
 */
export const operatorCaller =
  (catalog: Catalog, audit: Audit) =>
  async ({ headers, path }: IncomingRequest): Promise<Operator> => {
    const [, key = ''] = bearer.exec(headers.authorization ?? '') ?? [];
    const operator = catalog.operatorOfKey(key);
    const refused = (code: 'INVALID_OPERATOR_KEY' | 'FORBIDDEN') => {
      audit({ operator: operator?.name, operation: path, outcome: code });
      return new Refusal(code);
    };
    if (operator === undefined) throw refused('INVALID_OPERATOR_KEY');
    if (!operator.roles.includes('statements:read')) throw refused('FORBIDDEN');
    return operator;
  };

import * as contract from '#libs/contracts/api/settlement.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { Catalog, Operator } from '#libs/catalog/catalog.ts';
import { countResults } from '#libs/http/count-results.ts';
import type { IncomingRequest } from '#libs/http/incoming-request.ts';
import { route, streamRoute } from '#libs/http/route.ts';
import type { Audit, OperatorAction } from '#libs/runtime/audit.ts';
import type { NoteSecurity } from '#libs/runtime/security-events.ts';
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
 * an operator without that role. The path as sent is not noted: it may be any text, a player or a key too (D-43, D-47).
 */
export const operatorCaller =
  (
    catalog: Pick<Catalog, 'operatorOfKey' | 'operatorRefusalOf'>,
    { audit, security }: { readonly audit: Audit; readonly security: NoteSecurity },
  ) =>
  async ({ headers }: Pick<IncomingRequest, 'headers'>, operation: string): Promise<Operator> => {
    const [, key = ''] = bearer.exec(headers.authorization ?? '') ?? [];
    const operator = catalog.operatorOfKey(key);
    if (operator === undefined) {
      const refusal = catalog.operatorRefusalOf(key);
      security('authentication.failed', { kind: 'operator-key', ...refusal, operation });
      throw new Refusal('INVALID_OPERATOR_KEY');
    }
    if (!operator.roles.includes('statements:read')) {
      audit({ operator: operator.name, operation, outcome: 'FORBIDDEN' });
      throw new Refusal('FORBIDDEN');
    }
    return operator;
  };

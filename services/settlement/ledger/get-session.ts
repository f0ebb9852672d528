import type { getSession as contract } from '#libs/contracts/api/settlement.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { Operator } from '#libs/catalog/catalog.ts';
import type { Call } from '#libs/http/route.ts';
import { reaches } from '../core/reach.ts';
import type { LedgerEntry, LedgerPorts } from './ports.ts';

/** The ledger's entry of one session. Throws SESSION_NOT_FOUND while the session has not ended, and for one that the operator may not read (D-40). */
export const getSession =
  ({ ledger }: LedgerPorts) =>
  async ({ params, caller }: Call<typeof contract, Operator>): Promise<LedgerEntry> => {
    const entry = await ledger.find(params.game_session_id);
    if (entry === undefined || !reaches(caller, entry)) throw new Refusal('SESSION_NOT_FOUND');
    return entry;
  };

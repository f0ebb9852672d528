import type { getSession as contract } from '#libs/contracts/api/settlement.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { Call } from '#libs/http/route.ts';
import type { LedgerEntry, LedgerPorts } from './ports.ts';

/** The ledger's entry of one session. Throws SESSION_NOT_FOUND while the session has not ended. */
export const getSession =
  ({ ledger }: LedgerPorts) =>
  async ({ params }: Call<typeof contract, undefined>): Promise<LedgerEntry> => {
    const entry = await ledger.find(params.game_session_id);
    if (entry === undefined) throw new Refusal('SESSION_NOT_FOUND');
    return entry;
  };

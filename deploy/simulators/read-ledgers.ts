import { z } from 'zod';
import * as settlement from '#libs/contracts/api/settlement.ts';
import { call } from './http-client.ts';
import { simulatedBilling } from './partner/partner-api.ts';
import type { StackFacts } from './stack-file.ts';

const timeoutMs = 10_000;
const partnerLedger = z.object({ billings: z.array(simulatedBilling) });

/** A billing in the simulated partner's ledger. */
export type PartnerBilling = z.output<typeof simulatedBilling>;

/** All billings of the simulated partner at `url`. */
export const readPartnerLedger = async (url: string): Promise<PartnerBilling[]> => {
  const response = await fetch(`${url}/control/ledger`, { signal: AbortSignal.timeout(timeoutMs) });
  return partnerLedger.parse(await response.json()).billings;
};

type Settlement = StackFacts['settlement'];

/** The header with which an operator calls settlement. */
export const operatorHeaders = ({ operator_key: key }: Settlement) => ({ Authorization: `Bearer ${key}` });

/** The line of a game session in the ledger of a settlement; undefined when it has none. Throws when settlement cannot be reached. */
export const readSettledSession = async (at: Settlement, gameSessionId: string) => {
  const path = settlement.getSession.path.replace(':game_session_id', gameSessionId);
  const result = await call(
    { ...settlement.getSession, path },
    { url: at.url, headers: operatorHeaders(at) },
  );
  return result.ok ? result.data : undefined;
};

import { operatorHeaders } from '#simulators/read-ledgers.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { send } from './raw.ts';
import { eventually } from './eventually.ts';
import type { RawAnswer } from './raw.ts';

/** Asks settlement as the operator of a stack; `path` is what follows /v1/. */
export const askSettlement = (
  { settlement }: Pick<StackFacts, 'settlement'>,
  path: string,
  headers: Record<string, string> = {},
): Promise<RawAnswer> =>
  send({
    method: 'GET',
    url: `${settlement.url}/v1/${path}`,
    headers: { ...operatorHeaders(settlement), ...headers },
  });

/** Asks for the reconciliation of an open day until nobody else has one made: there is one at a time, and others are 429 (D-40). */
export const askReconciliation = (stack: Pick<StackFacts, 'settlement'>, day: string): Promise<RawAnswer> =>
  eventually(
    () => askSettlement(stack, `reconciliations/${day}`),
    ({ status }) => status !== 429,
  );

import { operatorHeaders } from '#simulators/read-ledgers.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { send } from './raw.ts';
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

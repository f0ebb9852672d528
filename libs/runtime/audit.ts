import type { Log } from './log.ts';
import type { LogFields } from './log-fields.ts';

/** What an operator did: the endpoint or command, how it ended, and what it concerned. */
export interface OperatorAction extends Pick<
  LogFields,
  'cafeId' | 'gameId' | 'gameSessionId' | 'day' | 'topic'
> {
  /** Undefined when no known operator's key was shown. */
  readonly operator: string | undefined;
  readonly operation: string;
  /** `done`, the code of a refusal, or `failed`. */
  readonly outcome: string;
}

/** Writes one log line for each action of an operator, with the event `operator.acted` or `operator.refused` (D-40). */
export const createAudit =
  (log: Log) =>
  (action: OperatorAction): void => {
    if (action.outcome === 'done') log.info({ event: 'operator.acted', ...action }, 'an operator acted');
    else log.warn({ event: 'operator.refused', ...action }, 'an operator was refused, or failed');
  };

/** Notes one action of an operator. */
export type Audit = ReturnType<typeof createAudit>;

import type { NoteSecurity, SecurityFields } from './security-events.ts';

/** What an operator did: the endpoint or command, how it ended, and what it concerned. */
export interface OperatorAction extends Pick<
  SecurityFields,
  'cafeId' | 'gameId' | 'gameSessionId' | 'day' | 'topic'
> {
  /** Undefined when no known operator's key was shown. */
  readonly operator: string | undefined;
  readonly operation: string;
  /** `begun`, `done`, the code of a refusal, `failed`, or `misused`. */
  readonly outcome: string;
}

const actedOutcomes = ['begun', 'done'];

/** Notes each action of an operator as the event `operator.acted` or `operator.refused` (D-40). */
export const createAudit =
  (note: NoteSecurity) =>
  (action: OperatorAction): void =>
    note(actedOutcomes.includes(action.outcome) ? 'operator.acted' : 'operator.refused', action);

/** Notes one action of an operator. */
export type Audit = ReturnType<typeof createAudit>;

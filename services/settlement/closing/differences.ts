import type { differenceCauses } from '#libs/contracts/api/settlement.ts';

/** The seconds of one session in the three records of it: ours, the game's, and the partner's. */
export interface ComparedLine {
  readonly playSec: number;
  /** What the game server measured; null when it sent none. */
  readonly clientSec: number | null;
  /** What the partner answered when billing was stopped; null until it has. */
  readonly confirmedSec: number | null;
  /** Its line in the partner's own statement; `left_out` when that is not compared. */
  readonly statement: 'left_out' | 'missing' | { readonly status: string; readonly playSec: number };
}

/** How far two records may be apart: up to `…Agree…` they agree, up to one heartbeat interval the difference is notable, beyond that serious. */
export const tolerances = {
  partnerAgreeSec: 0,
  clientAgreeSec: 5,
  clientAgreeShare: 0.01,
  notableSec: 120,
} as const;

/** A record that differs from ours, and how seriously. Null: there is no such record. */
export interface Difference {
  readonly cause: Cause;
  readonly band: 'notable' | 'serious';
  readonly ourSec: number | null;
  readonly theirSec: number | null;
}

/** What can differ, the likely cause, and what to do about it. */
export const causes = {
  missing_at_partner: {
    likely: 'the start of billing never arrived: play during an outage of the partner, not billed',
    remedy: 'look for the session in billing-retries and among the dead letters',
  },
  not_stopped_at_partner: {
    likely: 'our stop has not arrived: the partner may still be billing',
    remedy:
      'the stop is asked again until it is confirmed; if this stands tomorrow, look among the dead letters',
  },
  not_confirmed: {
    likely: 'the partner has not confirmed the stop yet, or its answer was lost',
    remedy: 'the stop is asked again until it is confirmed',
  },
  answer_and_statement_differ: {
    likely: 'the partner confirmed one number and wrote another into its statement',
    remedy: 'show the partner both numbers',
  },
  partner_counted_more: {
    likely:
      'an earlier stop or renewal with more seconds stands at the partner: billed after the player left',
    remedy: 'ask the partner to correct its line; ours is proven by npm run replay',
  },
  partner_counted_less: {
    likely: 'an earlier stop with fewer seconds stands at the partner, the first one counts there',
    remedy: 'ask the partner to correct its line; ours is proven by npm run replay',
  },
  unknown_here: {
    likely: 'the partner billed a session that never came to be here: the answer to its start was lost',
    remedy: 'run npm run replay for the day; if the log has no such session, ask the partner to cancel it',
  },
  never_stopped: {
    likely: 'a billing from before this day still runs at the partner, and nobody has ended it here',
    remedy: 'see whether the session still plays; if not, look for its stop among the dead letters',
  },
  client_measured_more: {
    likely: 'the game counted on after the last sign of life that we had',
    remedy: 'compare the game server’s log; ours counts to the last proof of life (D-09)',
  },
  client_measured_less: {
    likely: 'the game began to count later than billing began, as while loading',
    remedy: 'none, if the game counts from its first frame',
  },
} as const satisfies Record<
  (typeof differenceCauses)[number],
  { readonly likely: string; readonly remedy: string }
>;

/** The name of a cause. */
export type Cause = keyof typeof causes;

const bandOf = (ourSec: number | null, theirSec: number | null): Difference['band'] =>
  ourSec !== null && theirSec !== null && Math.abs(ourSec - theirSec) <= tolerances.notableSec
    ? 'notable'
    : 'serious';

const difference = (cause: Cause, ourSec: number | null, theirSec: number | null): Difference => ({
  cause,
  band: bandOf(ourSec, theirSec),
  ourSec,
  theirSec,
});

const deviation = (ourSec: number, theirSec: number, toleranceSec: number): 'more' | 'less' | undefined => {
  if (Math.abs(ourSec - theirSec) <= toleranceSec) return undefined;
  return theirSec > ourSec ? 'more' : 'less';
};

const againstSeconds = (ourSec: number, theirSec: number): Difference | undefined => {
  const direction = deviation(ourSec, theirSec, tolerances.partnerAgreeSec);
  return direction && difference(`partner_counted_${direction}`, ourSec, theirSec);
};

const againstStatement = (line: ComparedLine): Difference | undefined => {
  const { statement, playSec, confirmedSec } = line;
  if (statement === 'left_out') return undefined;
  if (statement === 'missing') return difference('missing_at_partner', playSec, null);
  if (statement.status !== 'stopped') return difference('not_stopped_at_partner', playSec, statement.playSec);
  if (confirmedSec !== null && confirmedSec !== statement.playSec)
    return difference('answer_and_statement_differ', confirmedSec, statement.playSec);
  return againstSeconds(playSec, statement.playSec);
};

const againstAnswer = ({ playSec, confirmedSec }: ComparedLine): Difference | undefined =>
  confirmedSec === null ? difference('not_confirmed', playSec, null) : againstSeconds(playSec, confirmedSec);

const againstClient = ({ playSec, clientSec }: ComparedLine): Difference | undefined => {
  if (clientSec === null) return undefined;
  const toleranceSec = Math.max(tolerances.clientAgreeSec, playSec * tolerances.clientAgreeShare);
  const direction = deviation(playSec, clientSec, toleranceSec);
  return direction && difference(`client_measured_${direction}`, playSec, clientSec);
};

/** Where the other records of a session differ from ours: at most one difference for the partner and one for the game. */
export const differencesOf = (line: ComparedLine): Difference[] =>
  [againstStatement(line) ?? againstAnswer(line), againstClient(line)].filter((each) => each !== undefined);

/** The difference of a billing of the partner that has no entry in the ledger. */
export const unmatchedBilling = (status: string, playSec: number): Difference =>
  difference(status === 'stopped' ? 'unknown_here' : 'never_stopped', null, playSec);

import type { z } from 'zod';
import type { ottClaim, ottRecord, ottRefusalReason } from '#libs/contracts/events/otts.ts';
import type { EventData } from '#libs/contracts/events.ts';
import type { Camel } from '#libs/contracts/wire.ts';
import { clockToleranceMs } from '#libs/kernel/clock.ts';
import type { Limits } from '#libs/kernel/limits.ts';

/** A one-time token (spec 2.1). */
export type Ott = Camel<z.output<typeof ottRecord>>;
/** The presentation that holds a token (D-03). */
export type Claim = Camel<z.output<typeof ottClaim>>;
/** Why a token is refused (spec 4.1). */
export type RefusalReason = z.output<typeof ottRefusalReason>;
type State = Ott['state'];
type Trigger = 'claim' | 'remind' | 'giveBack' | 'consume' | 'expire' | 'void';

/** How long a claim waits for its outcome before billing-adapter is told that it is overdue, in ms; after that the pause doubles, up to the longest (D-34). */
const outcomeWithinMs = 15_000;
const longestPauseMs = 300_000;

/** Spec 3.1, with the claim between issued and consumed (D-03). A pair that is absent leaves the token as it is. */
export const transitions: Record<State, Partial<Record<Trigger, State>>> = {
  issued: { claim: 'claimed', expire: 'expired', void: 'voided' },
  claimed: { remind: 'claimed', consume: 'consumed', giveBack: 'issued' },
  consumed: {},
  expired: {},
  voided: {},
};

/** How long a token that was never used and cannot be any more is kept, in ms: its request may be delivered again, and while it is fresh it would make the token anew. */
const unusableKeptMs = ({ ottTtlSec }: Limits): number => Math.max(3_600_000, 2 * ottTtlSec * 1000);

/** Expired or voided, and no claim of it was given back: an unknown token is answered the same. A claim that was given back may have to be given back again, so that its billing stops. */
const isUnusable = ({ state, givenBackUntilMs, givenBackEventIds }: Ott): boolean =>
  (state === 'expired' || state === 'voided') && givenBackUntilMs === null && givenBackEventIds.length === 0;

const forgottenAtMs = (ott: Ott, limits: Limits): number =>
  ott.issuedAtMs + (isUnusable(ott) ? unusableKeptMs(limits) : limits.ottMemorySec * 1000);

/** An issued token is due when it expires, a claimed one when its outcome is late (D-34), any other when it is forgotten (D-04). */
const deadlineOf = (ott: Ott, limits: Limits): number => {
  if (ott.state === 'issued') return ott.expiresAtMs;
  if (ott.state === 'claimed' && ott.claim !== null) return ott.claim.claimedAtMs + outcomeWithinMs;
  return forgottenAtMs(ott, limits);
};

/** A claim that cannot be given back any more, without what only that needs. */
const spent = (claim: Claim | null): Claim | null =>
  claim && { ...claim, presentedEventId: null, deadlineMs: null };

/** Whether a token that was asked for then would certainly be over by now, clocks that differ included (D-35): nobody waits for it, and the PC may have a newer one. */
export const isAskedTooLate = (askedAtMs: number, nowMs: number, { ottTtlSec }: Limits): boolean =>
  nowMs - askedAtMs >= ottTtlSec * 1000 + clockToleranceMs;

/** Whether the token is within its life, and nobody has claimed it (D-04). */
export const isFree = ({ state, expiresAtMs }: Ott, nowMs: number): boolean =>
  state === 'issued' && nowMs <= expiresAtMs;

/** Whether nothing happens to the token any more but that it is forgotten. */
export const isOver = ({ state }: Pick<Ott, 'state'>): boolean =>
  Object.keys(transitions[state]).length === 0;

/** Whose newest token it is: the PC's, for the game. */
export const seatOf = ({ pcId, gameId }: Pick<Ott, 'pcId' | 'gameId'>): string => `${pcId}/${gameId}`;

/** Whether the token can be presented, or can be given back and presented then: a newer one of its PC and game voids it. */
export const holdsSeat = ({ state }: Pick<Ott, 'state'>): boolean =>
  state === 'issued' || state === 'claimed';

/** The token after a trigger; undefined where the table has no such transition. */
export const advance = (
  ott: Ott,
  trigger: Trigger,
  limits: Limits,
  claim: Claim | null = null,
): Ott | undefined => {
  const state = transitions[ott.state][trigger];
  if (state === undefined) return undefined;
  const kept = trigger === 'consume' ? spent(ott.claim) : claim;
  const moved = { ...ott, state, version: ott.version + 1, claim: kept, voids: null };
  return { ...moved, deadlineAtMs: deadlineOf(moved, limits) };
};

/** The consumed token; one that an earlier delivery has consumed is as that left it, so that it is published again: that one may have failed to. */
export const consumeOrRepeat = (ott: Ott, limits: Limits): Ott | undefined =>
  ott.state === 'consumed' ? ott : advance(ott, 'consume', limits);

/** A token as it is issued for a request. */
export const mint = (
  request: EventData<'ott.requested'> & { readonly tokenHash: string; readonly traceparent: string | null },
  nowMs: number,
  limits: Limits,
): Ott => {
  const { replyKey: _replyKey, ...issuedTo } = request;
  const expiresAtMs = nowMs + limits.ottTtlSec * 1000;
  return {
    // First, where who reads the log looks for it.
    version: 1,
    ...issuedTo,
    state: 'issued',
    issuedAtMs: nowMs,
    expiresAtMs,
    deadlineAtMs: expiresAtMs,
    claim: null,
    givenBackUntilMs: null,
    givenBackEventIds: [],
    voids: null,
  };
};

/** A new token takes the seat, and the one that held it is void, unless it is claimed (D-58). */
export const takeSeat = (fresh: Ott, seated: Ott | undefined, limits: Limits) => {
  const displaced = seated && advance(seated, 'void', limits);
  return { record: { ...fresh, voids: displaced?.tokenHash ?? null }, displaced };
};

/** A claim without an outcome: it is due again after a pause as long as it has waited, within bounds (D-34). */
const remind = (ott: Ott, nowMs: number, limits: Limits): Ott | undefined => {
  const reminded = advance(ott, 'remind', limits, ott.claim);
  if (reminded === undefined) return undefined;
  const waitedMs = nowMs - (ott.claim?.claimedAtMs ?? nowMs);
  return {
    ...reminded,
    deadlineAtMs: nowMs + Math.min(longestPauseMs, Math.max(outcomeWithinMs, waitedMs)),
  };
};

/** A token when its deadline has passed: an issued one expires, a claimed one is overdue until it is forgotten like any other (D-04, D-34). */
export const afterDeadline = (ott: Ott, nowMs: number, limits: Limits): Ott | 'forget' | undefined => {
  if (isFree(ott, nowMs) || nowMs < ott.deadlineAtMs) return undefined;
  const reminded = nowMs < forgottenAtMs(ott, limits) ? remind(ott, nowMs, limits) : undefined;
  return reminded ?? advance(ott, 'expire', limits) ?? 'forget';
};

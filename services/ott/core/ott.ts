import type { z } from 'zod';
import type { ottClaim, ottRecord, ottRefusalReason } from '#libs/contracts/events/otts.ts';
import type { EventData } from '#libs/contracts/events.ts';
import type { Camel } from '#libs/contracts/wire.ts';
import type { Limits } from '#libs/kernel/limits.ts';

/** A one-time token (spec 2.1). */
export type Ott = Camel<z.output<typeof ottRecord>>;
/** The presentation that holds a token (D-03). */
export type Claim = Camel<z.output<typeof ottClaim>>;
/** Why a token is refused (spec 4.1). */
export type RefusalReason = z.output<typeof ottRefusalReason>;
type State = Ott['state'];
type Trigger = 'claim' | 'giveBack' | 'consume' | 'expire' | 'void';

/** Spec 3.1, with the claim between issued and consumed (D-03). A pair that is absent leaves the token as it is. */
export const transitions: Record<State, Partial<Record<Trigger, State>>> = {
  issued: { claim: 'claimed', expire: 'expired', void: 'voided' },
  claimed: { consume: 'consumed', giveBack: 'issued' },
  consumed: {},
  expired: {},
  voided: {},
};

/** The token after a trigger; undefined where the table has no transition. An issued one is due when it expires, others when forgotten (D-04). */
export const advance = (
  ott: Ott,
  trigger: Trigger,
  limits: Limits,
  claim: Claim | null = null,
): Ott | undefined => {
  const state = transitions[ott.state][trigger];
  if (state === undefined) return undefined;
  const deadlineAtMs = state === 'issued' ? ott.expiresAtMs : ott.issuedAtMs + limits.ottMemorySec * 1000;
  const kept = trigger === 'consume' ? ott.claim : claim;
  const givenBackUntilMs = trigger === 'giveBack' ? (ott.claim?.deadlineMs ?? null) : ott.givenBackUntilMs;
  return { ...ott, state, version: ott.version + 1, claim: kept, deadlineAtMs, givenBackUntilMs };
};

/** A token as it is issued for a request. */
export const mint = (
  request: EventData<'ott.requested'>,
  tokenHash: string,
  nowMs: number,
  limits: Limits,
): Ott => {
  const { replyKey: _replyKey, ...issuedTo } = request;
  const expiresAtMs = nowMs + limits.ottTtlSec * 1000;
  return {
    ...issuedTo,
    version: 1,
    tokenHash,
    state: 'issued',
    issuedAtMs: nowMs,
    expiresAtMs,
    deadlineAtMs: expiresAtMs,
    claim: null,
    givenBackUntilMs: null,
  };
};

/** A token when its deadline has passed: an issued one expires, any other is forgotten (D-04). */
export const afterDeadline = (ott: Ott, nowMs: number, limits: Limits): Ott | 'forget' | undefined =>
  nowMs < ott.deadlineAtMs ? undefined : (advance(ott, 'expire', limits) ?? 'forget');

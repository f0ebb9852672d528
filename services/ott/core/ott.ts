import type { z } from 'zod';
import type { ottClaim, ottRecord, ottRefusalReason } from '#libs/contracts/events/otts.ts';
import type { EventData } from '#libs/contracts/events.ts';
import type { Camel } from '#libs/contracts/wire.ts';
import type { Limits } from '#libs/kernel/limits.ts';

/** A one-time token (spec 2.1). */
export type Ott = Camel<z.output<typeof ottRecord>>;
type Claim = Camel<z.output<typeof ottClaim>>;
type State = Ott['state'];
type Trigger = 'claim' | 'giveBack' | 'consume' | 'expire' | 'void';

/** Spec 3.1, with the claim between issued and consumed (D-03). A pair that is absent does not happen to a token. */
export const transitions = {
  issued: { claim: 'claimed', expire: 'expired', void: 'voided' },
  claimed: { consume: 'consumed', giveBack: 'issued' },
  consumed: {},
  expired: {},
  voided: {},
} as const satisfies Record<State, Partial<Record<Trigger, State>>>;

/** The token after a trigger, or undefined where the trigger means nothing to it. Only an issued token is looked at when its life ends; others when they are forgotten (D-04). */
export const advance = (
  ott: Ott,
  trigger: Trigger,
  limits: Limits,
  claim: Claim | null = null,
): Ott | undefined => {
  const next: Partial<Record<Trigger, State>> = transitions[ott.state];
  const state = next[trigger];
  if (state === undefined) return undefined;
  const deadlineAtMs = state === 'issued' ? ott.expiresAtMs : ott.issuedAtMs + limits.ottMemorySec * 1000;
  const kept = trigger === 'consume' ? ott.claim : claim;
  const givenBackUntilMs = trigger === 'giveBack' ? (ott.claim?.deadlineMs ?? null) : ott.givenBackUntilMs;
  return { ...ott, state, version: ott.version + 1, claim: kept, deadlineAtMs, givenBackUntilMs };
};

/** A token as it is minted for a request. */
export const mint = (
  request: EventData<'ott.requested'>,
  tokenHash: string,
  nowMs: number,
  limits: Limits,
): Ott => {
  const { replyKey: _sealedFor, ...seat } = request;
  const expiresAtMs = nowMs + limits.ottTtlSec * 1000;
  return {
    ...seat,
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

/** Whether a presentation is one that has been answered already: the claim was given back, and the message that made it is heard again (D-03). */
export const isAnswered = ({ givenBackUntilMs }: Ott, deadlineMs: number | undefined): boolean =>
  givenBackUntilMs !== null && deadlineMs !== undefined && deadlineMs <= givenBackUntilMs;

/** Why a token is not for this presentation (spec 4.1, D-03, D-04); undefined when it may be claimed. */
export const refusal = (
  ott: Ott | undefined,
  gameId: string,
  nowMs: number,
  acceptedAtVersion = 0,
): z.output<typeof ottRefusalReason> | undefined => {
  if (ott === undefined) return 'OTT_EXPIRED';
  if (ott.state === 'claimed' || ott.state === 'consumed') return 'OTT_ALREADY_USED';
  // The store is behind what this process has accepted (D-24); a token that was given back is of a higher version.
  if (ott.version < acceptedAtVersion) return 'OTT_ALREADY_USED';
  if (ott.state !== 'issued' || nowMs >= ott.expiresAtMs) return 'OTT_EXPIRED';
  return ott.gameId === gameId ? undefined : 'GAME_MISMATCH';
};

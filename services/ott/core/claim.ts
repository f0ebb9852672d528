import type { EventData } from '#libs/contracts/events.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { isSameButForPin, pinnedAs } from '#libs/kernel/partition-pins.ts';
import { gameSessionIdFor, uuidOfDigest } from '#libs/kernel/shards.ts';
import { advance, isFree } from './ott.ts';
import type { Ott, RefusalReason } from './ott.ts';

/** A presented token, with what decides about it beside the token's record. */
export interface Presentation extends EventData<'ott.presented'> {
  /** The id of the event that presents it: a redelivery has the same. */
  readonly eventId: string;
  /** Until when the verify waits, by its own clock, in ms since the epoch; undefined: nobody waits. */
  readonly deadlineMs: number | undefined;
  /** The version at which this process accepted the token, or 0. */
  readonly acceptedAtVersion: number;
}

/**
 * What becomes of a presentation: it claims the token; it holds the claim, so that its acceptance is published again; its claim was given
 * back and its verify answered, so that nothing is done; or it is refused with a reason of spec 4.1.
 */
export type Verdict = 'claims' | 'holds the claim' | 'was answered' | { readonly refused: RefusalReason };

/** How long a verify with an Idempotency-Key may be repeated, in ms (D-15). */
const repeatableMs = 300_000;
/** How many given-back claims a token remembers. */
const rememberedGivenBack = 50;

/** Whether the token is used, even if the store is behind what this process accepted (D-24). A token given back has a higher version. */
const isUsed = ({ state, version }: Ott, { acceptedAtVersion }: Presentation): boolean =>
  state === 'claimed' || state === 'consumed' || version < acceptedAtVersion;

/** A token that a version before event ids gave back has only the deadline of that claim, which a redelivery does not exceed. */
const wasAnsweredBefore = (
  { givenBackUntilMs, givenBackEventIds }: Ott,
  { deadlineMs }: Presentation,
): boolean =>
  givenBackEventIds.length === 0 &&
  givenBackUntilMs !== null &&
  deadlineMs !== undefined &&
  deadlineMs <= givenBackUntilMs;

/** Whether a claim of this very event was given back: then it is a redelivery (D-03). Instants are not compared: each verify has another clock (D-35). */
const wasAnswered = (ott: Ott, presentation: Presentation): boolean =>
  ott.givenBackEventIds.includes(presentation.eventId) || wasAnsweredBefore(ott, presentation);

/** The same presentation may be repeated for five minutes (D-15), also where topics have grown since (D-63); after that the token is spent for it too (I6). */
const holdsClaim = ({ claim }: Ott, { presentationId }: Presentation): boolean =>
  claim !== null && isSameButForPin(claim.presentationId, presentationId);
const isRepeatable = ({ claim }: Ott, nowMs: number): boolean =>
  claim !== null && nowMs - claim.claimedAtMs < repeatableMs;

/** Who may have a token (spec 3.1, 4.1, D-03, D-04). */
export const verdictOn = (ott: Ott | undefined, presentation: Presentation, nowMs: number): Verdict => {
  if (ott === undefined) return { refused: 'OTT_EXPIRED' };
  if (holdsClaim(ott, presentation) && isRepeatable(ott, nowMs)) return 'holds the claim';
  if (wasAnswered(ott, presentation)) return 'was answered';
  if (isUsed(ott, presentation)) return { refused: 'OTT_ALREADY_USED' };
  if (!isFree(ott, nowMs)) return { refused: 'OTT_EXPIRED' };
  return ott.gameId === presentation.gameId ? 'claims' : { refused: 'GAME_MISMATCH' };
};

/** Past the cap of unbilled play a cafe's next player plays only if the partner answers, whatever the game's policy is (D-26). */
export const cappedPolicy = (
  policy: Presentation['outagePolicy'],
  unbilledSec: number,
  capSec: number,
): Presentation['outagePolicy'] => (unbilledSec < capSec ? policy : 'refuse');

/**
 * The game session that a claim becomes. After a claim that was given back it is another one, because the former may still have to be
 * stopped at the partner (D-03).
 */
const sessionIdFor = (ott: Ott, presentationId: string, hash: (text: string) => string): string => {
  const isFirst = ott.version === 1;
  const again = () => pinnedAs(uuidOfDigest(hash(`${presentationId} ${ott.version}`)), presentationId);
  const seed = isFirst ? presentationId : again();
  return gameSessionIdFor(seed, ott.pcId);
};

/** The token as a presentation claims it; undefined where it cannot be claimed. `hash` is SHA-256 in hexadecimal. */
export const claim = (
  ott: Ott,
  { presentationId, providerUserId, outagePolicy, deadlineMs, eventId }: Presentation,
  nowMs: number,
  { limits, hash }: { limits: Limits; hash: (text: string) => string },
): Ott | undefined =>
  advance(ott, 'claim', limits, {
    presentationId,
    providerUserId,
    outagePolicy,
    gameSessionId: sessionIdFor(ott, presentationId, hash),
    claimedAtMs: nowMs,
    presentedEventId: eventId,
    deadlineMs: deadlineMs ?? null,
  });

/** The token after billing was refused for a game session: its claim is given back. A token that this session does not hold stays as it is; undefined: it is consumed. */
export const giveBack = (ott: Ott, gameSessionId: string, limits: Limits): Ott | undefined => {
  const { claim: held, givenBackEventIds } = ott;
  if (held?.gameSessionId !== gameSessionId) return ott;
  const returned = advance(ott, 'giveBack', limits);
  const ids = held.presentedEventId === null ? [] : [held.presentedEventId];
  return (
    returned && {
      ...returned,
      givenBackUntilMs: held.deadlineMs,
      givenBackEventIds: [...givenBackEventIds, ...ids].slice(-rememberedGivenBack),
    }
  );
};

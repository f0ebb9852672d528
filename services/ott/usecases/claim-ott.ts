import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { cappedPolicy, claim, verdictOn } from '../core/claim.ts';
import type { Presentation } from '../core/claim.ts';
import { holdsSeat } from '../core/ott.ts';
import type { Ott } from '../core/ott.ts';
import type { Ports } from '../ports.ts';

/** The presentation with the outage policy that the cafe's unbilled play allows (D-26). */
const capped = async (
  { unbilled, limits }: Ports,
  presentation: Presentation,
  { cafeId, nowMs }: { cafeId: string; nowMs: number },
): Promise<Presentation> => {
  if (presentation.outagePolicy === 'refuse') return presentation;
  const unbilledSec = await unbilled.seconds(cafeId, nowMs);
  return {
    ...presentation,
    outagePolicy: cappedPolicy(presentation.outagePolicy, unbilledSec, limits.unbilledCapSec),
  };
};

const used = { refused: 'OTT_ALREADY_USED' } as const;

/** Whether this very presentation may not claim: it was answered before. A token that nobody has claimed yet asks nobody. */
const mayNotClaim = async (
  { answered }: Ports,
  { tokenHash, version }: Ott,
  eventId: string,
): Promise<boolean> => version > 1 && answered.has(tokenHash, eventId);

/** A presentation that repeats the one that holds the token: the claim remembers the event that made it, and no other. */
const repeatsClaim = ({ state, claim: held }: Ott, eventId: string): boolean =>
  state === 'claimed' && held?.presentedEventId !== eventId;

/**
 * Spec 4.1: a token that is issued, fresh and of the right game is claimed. The acceptance of a redelivered presentation is published
 * again as it is stored, so that it leads to the same session. One that was refused while another held the token is refused at each delivery,
 * although that claim may have been given back since, and so is a repetition of the one that held it: a session that nobody waits for would
 * replace who plays at the PC by then (D-03).
 */
export const claimOtt =
  (ports: Ports) =>
  async (presented: EventData<'ott.presented'>, { id: eventId, request }: EventMeta): Promise<void> => {
    const { otts, accepted, answered, tokens, limits, publish } = ports;
    const { presentationId, tokenHash } = presented;
    const acceptedAtVersion = await accepted.versionOf(tokenHash);
    const presentation = { ...presented, eventId, deadlineMs: request?.deadlineMs, acceptedAtVersion };
    let isRefusedAgain = false;
    const decide = async (ott: Ott | undefined, nowMs: number): Promise<Ott | undefined> => {
      const verdict = verdictOn(ott, presentation, nowMs);
      if (verdict === 'holds the claim') return ott;
      if (ott === undefined || verdict !== 'claims') return undefined;
      isRefusedAgain = await mayNotClaim(ports, ott, eventId);
      if (isRefusedAgain) return undefined;
      const allowed = await capped(ports, presentation, { cafeId: ott.cafeId, nowMs });
      return claim(ott, allowed, nowMs, { limits, hash: tokens.hash });
    };
    const { record, nowMs, after } = await otts.update(tokenHash, (read) => decide(read.record, read.nowMs));
    if (after) {
      if (repeatsClaim(after, eventId)) await answered.remember(tokenHash, eventId);
      accepted.remember(after);
      return publish('ott.accepted', { ott: after, overdue: false }, { request });
    }
    const verdict = isRefusedAgain ? used : verdictOn(record, presentation, nowMs);
    if (typeof verdict === 'string') return;
    const { refused: reason } = verdict;
    if (reason === used.refused && record && holdsSeat(record)) await answered.remember(tokenHash, eventId);
    await publish('ott.refused', { presentationId, tokenHash, reason }, { request });
  };

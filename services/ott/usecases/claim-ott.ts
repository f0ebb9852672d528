import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { advance, refusal } from '../core/ott.ts';
import type { Ott } from '../core/ott.ts';
import type { Ports } from '../ports.ts';
import { changeOtt } from './change-ott.ts';
import { withinCap } from './unbilled-play.ts';

type Presentation = EventData<'ott.presented'>;

const claimFor = (
  ott: Ott,
  { presentationId, providerUserId, outagePolicy }: Presentation,
  nowMs: number,
) => ({
  presentationId,
  providerUserId,
  outagePolicy,
  gameSessionId: gameSessionIdFor(presentationId, ott.pcId),
  claimedAtMs: nowMs,
});

/** Spec 4.1: issued, fresh and of the right game → claimed. The presentation that holds the claim is accepted again when it is heard again. */
export const claimOtt =
  (ports: Ports) =>
  async (presentation: Presentation): Promise<void> => {
    const { presentationId, tokenHash, gameId } = presentation;
    const acceptedAtVersion = await ports.accepted.versionOf(tokenHash);
    let reason = refusal(undefined, gameId, 0);
    const claimed = await changeOtt(ports, tokenHash, (ott, nowMs) => {
      if (ott.claim?.presentationId === presentationId) return ott;
      reason = refusal(ott, gameId, nowMs, acceptedAtVersion);
      return reason ? undefined : advance(ott, 'claim', ports.limits, claimFor(ott, presentation, nowMs));
    });
    if (claimed) {
      ports.accepted.note(claimed);
      return ports.publish('ott.accepted', { ott: await withinCap(ports, claimed) });
    }
    return ports.publish('ott.refused', { presentationId, tokenHash, reason: reason ?? 'OTT_EXPIRED' });
  };

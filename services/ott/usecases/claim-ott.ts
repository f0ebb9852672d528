import { gameSessionIdFor, uuidOfDigest } from '#libs/kernel/shards.ts';
import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { advance, isAnswered, refusal } from '../core/ott.ts';
import type { Ott } from '../core/ott.ts';
import type { Ports } from '../ports.ts';
import { changeOtt } from './support/change-ott.ts';
import { withinCap } from './confirm-billing.ts';

type Presentation = EventData<'ott.presented'>;

/** A claim that was given back may still be stopped at the partner, so the next one becomes another game session (D-03). */
const sessionIdFor = ({ tokens }: Ports, ott: Ott, presentationId: string): string => {
  const isFirst = ott.version === 1;
  const seed = isFirst ? presentationId : uuidOfDigest(tokens.hash(`${presentationId} ${ott.version}`));
  return gameSessionIdFor(seed, ott.pcId);
};

const claimFor = (
  ports: Ports,
  ott: Ott,
  {
    presentationId,
    providerUserId,
    outagePolicy,
    deadlineMs,
  }: Presentation & { deadlineMs: number | undefined },
  nowMs: number,
) => ({
  presentationId,
  providerUserId,
  outagePolicy,
  gameSessionId: sessionIdFor(ports, ott, presentationId),
  claimedAtMs: nowMs,
  deadlineMs: deadlineMs ?? null,
});

/** Spec 4.1: issued, fresh and of the right game → claimed. The presentation that holds the claim is accepted again when it is heard again, with the deadline that it had: of two hearings none may be too late for a session that the other began. */
export const claimOtt =
  (ports: Ports) =>
  async (presentation: Presentation, { request }: EventMeta): Promise<void> => {
    const { presentationId, tokenHash, gameId } = presentation;
    const deadlineMs = request?.deadlineMs;
    const acceptedAtVersion = await ports.accepted.versionOf(tokenHash);
    let reason = refusal(undefined, gameId, 0);
    let answered = false;
    const claimed = await changeOtt(ports, tokenHash, (ott, nowMs) => {
      if (ott.claim?.presentationId === presentationId) return ott;
      answered = isAnswered(ott, deadlineMs);
      if (answered) return undefined;
      reason = refusal(ott, gameId, nowMs, acceptedAtVersion);
      return reason
        ? undefined
        : advance(ott, 'claim', ports.limits, claimFor(ports, ott, { ...presentation, deadlineMs }, nowMs));
    });
    if (claimed) {
      ports.accepted.note(claimed);
      return ports.publish('ott.accepted', { ott: await withinCap(ports, claimed) }, { request });
    }
    if (answered) return;
    const refused = { presentationId, tokenHash, reason: reason ?? 'OTT_EXPIRED' };
    await ports.publish('ott.refused', refused, { request });
  };

import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { advanceOrRepeat, mint } from '../core/ott.ts';
import type { LatestOtt, Ports } from '../ports.ts';

const voidEarlier = async ({ otts, limits, publish }: Ports, { tokenHash }: LatestOtt): Promise<void> => {
  const { after } = await otts.update(
    tokenHash,
    ({ record }) => record && advanceOrRepeat(record, 'void', limits),
  );
  if (after) await publish('ott.voided', { ott: after });
};

/** Spec 3.1, first row. A redelivered request publishes the same token again; a newer request voids the earlier token. */
export const issueOtt =
  (ports: Ports) =>
  async (order: EventData<'ott.requested'>, { request }: EventMeta): Promise<void> => {
    const { otts, tokens, limits, publish, traceparent } = ports;
    const { pcId, gameId, ottRequestId } = order;
    const latest = await otts.latest(pcId, gameId);
    if (latest?.ottRequestId === ottRequestId) {
      const { record: ott } = await otts.read(latest.tokenHash);
      return ott && publish('ott.issued', { ott, sealedToken: latest.sealedToken }, { request });
    }
    if (latest) await voidEarlier(ports, latest);
    const made = order.tokenHash === null ? undefined : { tokenHash: order.tokenHash, sealedToken: '' };
    const { tokenHash, sealedToken } = made ?? tokens.makeSealed(order.replyKey);
    // One that is there is what an earlier delivery left, which did not get further.
    const asked = { ...order, tokenHash, traceparent: traceparent() };
    const { record, after } = await otts.update(
      tokenHash,
      (read) => read.record ?? mint(asked, read.nowMs, limits),
    );
    await otts.setLatest(pcId, gameId, { tokenHash, ottRequestId, sealedToken });
    const ott = after ?? record;
    if (ott) await publish('ott.issued', { ott, sealedToken }, { request });
  };

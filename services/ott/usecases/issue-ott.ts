import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { advance, mint } from '../core/ott.ts';
import type { Ports } from '../ports.ts';
import { changeOtt } from './support/change-ott.ts';

const voidEarlier = async (ports: Ports, tokenHash: string): Promise<void> => {
  const voided = await changeOtt(ports, tokenHash, (ott) => advance(ott, 'void', ports.limits));
  if (voided) await ports.publish('ott.voided', { ott: voided });
};

/** Spec 3.1, first row. Asked twice for the same request, it says the same token again; a newer request voids the earlier token. */
export const issueOtt =
  (ports: Ports) =>
  async (order: EventData<'ott.requested'>, { request }: EventMeta): Promise<void> => {
    const { otts, tokens, limits, publish } = ports;
    const { pcId, gameId, ottRequestId } = order;
    const latest = await otts.latest(pcId, gameId);
    if (latest?.ottRequestId === ottRequestId) {
      const { ott } = await otts.look(latest.tokenHash);
      return ott && publish('ott.issued', { ott, sealedToken: latest.sealedToken }, { request });
    }
    if (latest) await voidEarlier(ports, latest.tokenHash);
    const token = tokens.fresh();
    const tokenHash = tokens.hash(token);
    const sealedToken = tokens.seal(token, order.replyKey);
    const { nowMs } = await otts.look(tokenHash);
    const ott = mint(order, tokenHash, nowMs, limits);
    await otts.commit(tokenHash, undefined, ott);
    await otts.setLatest(pcId, gameId, { tokenHash, ottRequestId, sealedToken });
    await publish('ott.issued', { ott, sealedToken }, { request });
  };

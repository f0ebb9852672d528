import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { isAskedTooLate, mint, seatOf, takeSeat } from '../core/ott.ts';
import type { Ott } from '../core/ott.ts';
import type { Ports } from '../ports.ts';

/** The token of a request: the gateway has made it, or an older one lets ott make it, once however often the request is delivered (D-18). */
const tokenFor = async (
  { otts, tokens }: Ports,
  { ottRequestId, tokenHash, replyKey, pcId }: EventData<'ott.requested'>,
) => {
  if (tokenHash !== null) return { tokenHash, sealedToken: '' };
  if (replyKey === null) throw new Error('a request for a token has neither its hash nor a key for it');
  return otts.sealedOnce(ottRequestId, tokens.makeSealed(replyKey, pcId));
};

/** The token that an earlier delivery of the request voided: its event may not have been published. */
const voidedBefore = async ({ otts }: Ports, known: Ott | undefined): Promise<Ott | undefined> => {
  const { record } = known?.voids ? await otts.read(known.voids) : {};
  return record?.state === 'voided' ? record : undefined;
};

/** Spec 3.1, first row. The new token takes the seat of the PC and game, and voids the one that held it, in one step. A redelivered request publishes the same token again; one that comes too late, as from the dead letters, makes none. */
export const issueOtt =
  (ports: Ports) =>
  async (order: EventData<'ott.requested'>, { request, time }: EventMeta): Promise<void> => {
    const { otts, limits, publish, traceparent } = ports;
    const { tokenHash, sealedToken } = await tokenFor(ports, order);
    const asked = { ...order, tokenHash, traceparent: traceparent() };
    const { record, after, displaced } = await otts.update(
      tokenHash,
      ({ record: known, seated, nowMs }) => {
        if (known || isAskedTooLate(Date.parse(time), nowMs, limits)) return known;
        return takeSeat(mint(asked, nowMs, limits), seated, limits);
      },
      seatOf(order),
      { isNew: true },
    );
    const voided = displaced ?? (await voidedBefore(ports, record));
    if (voided) await publish('ott.voided', { ott: voided });
    if (after) await publish('ott.issued', { ott: after, sealedToken }, { request });
  };

import type { EventData } from '#libs/contracts/events.ts';
import { consumeOrRepeat } from '../core/ott.ts';
import type { Ports } from '../ports.ts';

/** Billing started: the token is consumed for good (I1), and play that the partner has not confirmed counts as unbilled from its start (D-26). */
export const consumeOtt =
  ({ otts, unbilled, limits, publish }: Ports) =>
  async ({ order, pending }: EventData<'billing.started'>): Promise<void> => {
    const { cafeId, gameSessionId, startedAtMs, tokenHash } = order;
    if (pending) await unbilled.begin(cafeId, gameSessionId, startedAtMs);
    // Another session may hold the token by now: this one's claim was given back before its start came (D-34).
    const decided = () =>
      otts.update(tokenHash, ({ record }) =>
        record?.claim?.gameSessionId === gameSessionId ? consumeOrRepeat(record, limits) : undefined,
      );
    const after = (await otts.consume(order)) ?? (await decided()).after;
    if (after) await publish('ott.consumed', { ott: after }, { lingers: true });
  };

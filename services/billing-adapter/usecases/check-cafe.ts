import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { clockToleranceMs } from '#libs/kernel/clock.ts';
import type { Ports } from '../ports.ts';

const verdicts = { known: 'known', none: 'unknown', unknown: 'unavailable' } as const;

/** Asks the partner whose address it is; not long after the deadline, when certainly nobody waits any more (D-35). */
export const checkCafe =
  ({ partner, publish, clock }: Ports) =>
  async ({ checkId, ip }: EventData<'cafe-check.requested'>, { request }: EventMeta): Promise<void> => {
    if (clock() >= (request?.deadlineMs ?? Infinity) + clockToleranceMs) return;
    const result = await partner.cafeOf(ip);
    const cafeId = result.outcome === 'known' ? result.cafeId : null;
    const verdict = verdicts[result.outcome];
    await publish('cafe-check.answered', { checkId, ip, verdict, cafeId }, { request });
  };

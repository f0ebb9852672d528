import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';

/** Whose address is it? Nobody waits past the deadline, so nobody is asked then. */
export const checkCafe =
  ({ partner, publish, clock, deadlineMs }: Ports) =>
  async ({ checkId, ip }: EventData<'cafe-check.requested'>): Promise<void> => {
    if (clock() >= (deadlineMs() ?? Infinity)) return;
    const said = await partner.cafeOf(ip);
    const cafeId = said.outcome === 'known' ? said.cafeId : null;
    const verdict = ({ known: 'known', none: 'unknown', unknown: 'unavailable' } as const)[said.outcome];
    await publish('cafe-check.answered', { checkId, ip, verdict, cafeId });
  };

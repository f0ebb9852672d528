import { afterDeadline } from '../core/ott.ts';
import type { Ports } from '../ports.ts';

/** A token's deadline has passed: an issued one expires, billing of a claimed one is called off (D-34), any other is forgotten (D-04). */
export const handleDeadline =
  ({ otts, limits, publish }: Ports) =>
  async (tokenHash: string): Promise<void> => {
    const { after } = await otts.update(
      tokenHash,
      ({ record, nowMs }) => record && afterDeadline(record, nowMs, limits),
    );
    if (after?.state === 'claimed') await publish('ott.accepted', { ott: after, overdue: true });
    else if (after) await publish('ott.expired', { ott: after });
  };

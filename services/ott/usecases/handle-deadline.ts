import { advance } from '../core/ott.ts';
import type { Ports } from '../ports.ts';

/** A token's deadline has passed: an issued one expires, any other is forgotten (D-04). */
export const handleDeadline =
  ({ otts, limits, publish }: Ports) =>
  async (tokenHash: string): Promise<void> => {
    const { nowMs, ott } = await otts.look(tokenHash);
    if (ott === undefined || nowMs < ott.deadlineAtMs) return;
    const expired = advance(ott, 'expire', limits);
    const won = await otts.commit(tokenHash, ott, expired);
    if (won && expired) await publish('ott.expired', { ott: expired });
  };

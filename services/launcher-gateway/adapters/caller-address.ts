import { Refusal } from '#libs/contracts/errors.ts';
import { clientIp, networkOf } from '#libs/http/client-ip.ts';
import type { IpTrust } from '#libs/http/client-ip.ts';
import type { IncomingRequest } from '#libs/http/incoming-request.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { NoteSecurity } from '#libs/runtime/security-events.ts';

/** Where a request came from. */
export interface CallerAddress {
  /** The network that limits count by: the caller's, or that of the peer where the caller's is not known. */
  readonly counted: string;
  /** What security events say of the address, which itself is written nowhere. */
  readonly class: 'public' | 'malformed' | 'untrusted' | 'not_public';
  /** The caller's address, which proves the cafe (D-20). Throws BAD_REQUEST for a malformed chain, NOT_PC_CAFE for an address that is no cafe's. */
  readonly proven: () => string;
}

/** Determines the address of each request, and counts what was decided about it. */
export const callerAddress = (trust: IpTrust, metrics: Metrics, note: NoteSecurity) => {
  const decisions = metrics.counter('gsb_client_addresses_total');
  return ({ peer, rawHeaders }: IncomingRequest): CallerAddress => {
    const found = clientIp(peer, rawHeaders, trust);
    decisions.inc({ decision: found.ok ? 'accepted' : found.reason });
    return {
      counted: networkOf(found.ok ? found.ip : peer),
      class: found.ok ? 'public' : found.reason,
      proven: () => {
        if (found.ok) return found.ip;
        if (found.reason === 'malformed')
          throw new Refusal('BAD_REQUEST', { message: 'X-Forwarded-For is malformed.' });
        note('address.refused', { reason: found.reason });
        throw new Refusal('NOT_PC_CAFE');
      },
    };
  };
};

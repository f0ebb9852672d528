import type { Metric } from './labels.ts';
import { securityEventsOf } from './security-events.ts';

/** Who tries what he may not. */
export const security = {
  gsb_client_addresses_total: {
    help: 'Addresses of launchers by what was decided about them (D-20).',
    emittedBy: ['launcher-gateway'],
    labels: { decision: ['accepted', 'malformed', 'untrusted', 'not_public'] },
  },
  gsb_signature_refusals_total: {
    help: 'Signatures of launchers that were refused, by the first check that failed (D-14, D-44).',
    emittedBy: ['launcher-gateway'],
    labels: {
      reason: [
        ...['malformed', 'unknown_key', 'mismatch', 'shared_key', 'other_pc'],
        ...['not_ours', 'outside_window', 'replayed', 'perhaps_replayed'],
      ],
    },
  },
  gsb_security_events_total: {
    help: 'Security events, each of which is also in the log, equal ones as one line (D-47).',
    emittedBy: ['launcher-gateway', 'game-session', 'settlement'],
    labels: { event: securityEventsOf },
  },
} as const satisfies Record<string, Metric>;

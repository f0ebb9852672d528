import type { EventCounts } from '#libs/runtime/count-events.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';

/** What tokens count. A claim that is called off is no second acceptance (D-34). */
export const tokenCounts = (metrics: Metrics): EventCounts => {
  const events = metrics.counter('gsb_ott_events_total');
  const refusals = metrics.counter('gsb_ott_refusals_total');
  const overdueClaims = metrics.counter('gsb_ott_overdue_claims_total');
  const ages = metrics.histogram('gsb_ott_claim_age_seconds');
  return {
    'ott.issued': () => events.inc({ event: 'issued' }),
    'ott.accepted': ({ ott, overdue }) => {
      if (overdue) return overdueClaims.inc();
      events.inc({ event: 'accepted' });
      ages.observe(Math.max(0, (ott.claim?.claimedAtMs ?? ott.issuedAtMs) - ott.issuedAtMs) / 1000);
    },
    'ott.consumed': () => events.inc({ event: 'consumed' }),
    'ott.given-back': () => events.inc({ event: 'given_back' }),
    'ott.voided': () => events.inc({ event: 'voided' }),
    'ott.expired': () => events.inc({ event: 'expired' }),
    'ott.refused': ({ reason }) => refusals.inc({ reason }),
  };
};

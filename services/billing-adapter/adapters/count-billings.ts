import type { Clock } from '#libs/kernel/clock.ts';
import type { EventCounts } from '#libs/runtime/count-events.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Ports } from '../ports.ts';

/** Counts the renewals of which no event tells. */
export const countUnsaidRenewals = ({ counter }: Metrics): Ports['renewedUnsaid'] => {
  const events = counter('gsb_billing_events_total');
  return (count) => events.inc({ event: 'renewed' }, count);
};

/** What billings count when the log has taken it. */
export const billingCounts = (metrics: Metrics, clock: Clock): EventCounts => {
  const events = metrics.counter('gsb_billing_events_total');
  const refusals = metrics.counter('gsb_billing_refusals_total');
  const retryAges = metrics.histogram('gsb_partner_retry_age_seconds');
  return {
    'billing.started': ({ pending }) => events.inc({ event: pending ? 'pending' : 'started' }),
    'billing.refused': ({ reason }) => {
      events.inc({ event: 'refused' });
      refusals.inc({ reason });
    },
    'billing.confirmed': ({ outcome }) =>
      events.inc({ event: outcome === 'refused' ? 'confirmed_refused' : 'confirmed' }),
    'billing.renewed': () => events.inc({ event: 'renewed' }),
    'billing.exhausted': () => events.inc({ event: 'exhausted' }),
    'billing.stopped': () => events.inc({ event: 'stopped' }),
    'billing-retry.scheduled': ({ call, firstFailedAtMs }) =>
      retryAges.observe({ operation: call.operation }, Math.max(0, clock() - firstFailedAtMs) / 1000),
  };
};

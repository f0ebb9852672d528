import { z } from 'zod';
import { kafkaSettings, withKafka } from '#libs/runtime/kafka-settings.ts';
import { partnerSettings, retrySettings, withPartner } from '#libs/runtime/partner-settings.ts';
import { opsSettings, wholeNumber } from '#libs/runtime/settings.ts';
import { usualInFlight } from './adapters/circuit-breakers.ts';
import type { InFlight, Operation } from './adapters/circuit-breakers.ts';

/** With so many the consumer still pauses last (D-27), and stops that wait have a place: twice as many as are in flight are handled at once (D-60). */
export const mostInFlight = 96;
const inFlight = (operation: Operation) => wholeNumber(1, mostInFlight).default(usualInFlight[operation]);

/** The environment of billing-adapter. The token has no default: it is a secret. */
export const schema = withPartner(
  withKafka(
    z.object({
      ...opsSettings,
      ...kafkaSettings,
      ...partnerSettings,
      PARTNER_CHECKS_IN_FLIGHT: inFlight('check'),
      PARTNER_STARTS_IN_FLIGHT: inFlight('start'),
      PARTNER_RENEWALS_IN_FLIGHT: inFlight('renew'),
      PARTNER_STOPS_IN_FLIGHT: inFlight('stop'),
      ...retrySettings,
      PARTNER_TOKEN: z.string().min(8, 'must have at least 8 characters'),
    }),
  ),
);

/** How many calls of each operation are in flight at the partner at most. */
export const inFlightOf = (config: z.output<typeof schema>): InFlight => ({
  check: config.PARTNER_CHECKS_IN_FLIGHT,
  start: config.PARTNER_STARTS_IN_FLIGHT,
  renew: config.PARTNER_RENEWALS_IN_FLIGHT,
  stop: config.PARTNER_STOPS_IN_FLIGHT,
});

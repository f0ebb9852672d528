import type { Ports } from './ports.ts';
import { claimOtt } from './usecases/claim-ott.ts';
import { confirmBilling } from './usecases/confirm-billing.ts';
import { consumeOtt } from './usecases/consume-ott.ts';
import { giveBackOtt } from './usecases/give-back-ott.ts';
import { holdUnbilled } from './usecases/hold-unbilled.ts';
import { issueOtt } from './usecases/issue-ott.ts';

/** The events that this service handles. */
export const handlers = (ports: Ports) => ({
  'ott.requested': issueOtt(ports),
  'ott.presented': claimOtt(ports),
  'billing.started': consumeOtt(ports),
  'billing.confirmed': confirmBilling(ports),
  'billing-retry.scheduled': holdUnbilled(ports),
  'billing.refused': giveBackOtt(ports),
});

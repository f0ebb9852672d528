import type { Ports } from './ports.ts';
import { claimOtt } from './usecases/claim-ott.ts';
import { giveBackOtt } from './usecases/give-back-ott.ts';
import { issueOtt } from './usecases/issue-ott.ts';
import { billingConfirmed, billingStarted } from './usecases/confirm-billing.ts';

/** What this service listens to. */
export const handlers = (ports: Ports) => ({
  'ott.requested': issueOtt(ports),
  'ott.presented': claimOtt(ports),
  'billing.started': billingStarted(ports),
  'billing.confirmed': billingConfirmed(ports),
  'billing.refused': giveBackOtt(ports),
});

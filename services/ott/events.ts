import type { Ports } from './ports.ts';
import { claimOtt } from './usecases/claim-ott.ts';
import { consumeOtt } from './usecases/consume-ott.ts';
import { giveBackOtt } from './usecases/give-back-ott.ts';
import { issueOtt } from './usecases/issue-ott.ts';

/** What this service listens to. */
export const handlers = (ports: Ports) => ({
  'ott.requested': issueOtt(ports),
  'ott.presented': claimOtt(ports),
  'billing.started': consumeOtt(ports),
  'billing.refused': giveBackOtt(ports),
});

import type { Ports } from './ports.ts';
import { abandonBilling } from './usecases/abandon-billing.ts';
import { checkCafe } from './usecases/check-cafe.ts';
import { stopBilling } from './usecases/stop-billing.ts';
import { renewBillings } from './usecases/renew-billing.ts';
import { startBilling } from './usecases/start-billing.ts';

/** The events that this service handles. Retries have a consumer of their own, because they wait until they are due. */
export const handlers = (ports: Ports) => ({
  'cafe-check.requested': checkCafe(ports),
  'ott.accepted': startBilling(ports),
  'ott.given-back': abandonBilling(ports),
  'game-session.heartbeat': renewBillings(ports),
  'game-session.ending': stopBilling(ports),
});

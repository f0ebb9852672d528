import type { Ports } from './ports.ts';
import { launcherEnded, launcherLapsed, launcherStarted } from './usecases/end-with-launcher.ts';
import { applyExhaustion, applyRenewal } from './usecases/apply-renewal.ts';
import { confirmEnd } from './usecases/confirm-end.ts';
import { startSession } from './usecases/start-session.ts';
import { rejectRefusedBilling, rejectRefusedToken } from './usecases/reply-refused-billing.ts';

/** What this service listens to. */
export const handlers = (ports: Ports) => ({
  'ott.refused': rejectRefusedToken(ports),
  'billing.started': startSession(ports),
  'billing.refused': rejectRefusedBilling(ports),
  'billing.renewed': applyRenewal(ports),
  'billing.exhausted': applyExhaustion(ports),
  'billing.stopped': confirmEnd(ports),
  'launcher-session.started': launcherStarted(ports),
  'launcher-session.lapsed': launcherLapsed(ports),
  'launcher-session.ended': launcherEnded(ports),
});

import type { Ports } from './ports.ts';
import { launcherEnded, launcherLapsed, launcherStarted } from './usecases/follow-launcher.ts';
import { noteExhaustion, noteRenewal } from './usecases/apply-renewal.ts';
import { settleSession } from './usecases/confirm-end.ts';
import { startSession } from './usecases/start-session.ts';
import { turnBackBilling, turnBackToken } from './usecases/reject-verify.ts';

/** What this service listens to. */
export const handlers = (ports: Ports) => ({
  'ott.refused': turnBackToken(ports),
  'billing.started': startSession(ports),
  'billing.refused': turnBackBilling(ports),
  'billing.renewed': noteRenewal(ports),
  'billing.exhausted': noteExhaustion(ports),
  'billing.stopped': settleSession(ports),
  'launcher-session.started': launcherStarted(ports),
  'launcher-session.lapsed': launcherLapsed(ports),
  'launcher-session.ended': launcherEnded(ports),
});

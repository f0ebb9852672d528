import { eachOfBundle } from '#libs/kafka/consumer/each-of-bundle.ts';
import type { Ports } from './ports.ts';
import { applyExhaustion } from './usecases/apply-exhaustion.ts';
import { applyRenewals } from './usecases/apply-renewal.ts';
import { checkUnknownBilling } from './usecases/check-unknown-billing.ts';
import { clearLauncherLapse } from './usecases/clear-launcher-lapse.ts';
import { confirmEnd } from './usecases/confirm-end.ts';
import { endWithLauncher } from './usecases/end-with-launcher.ts';
import { markLauncherLapse } from './usecases/mark-launcher-lapse.ts';
import { refuseSession } from './usecases/refuse-session.ts';
import { replyRefusedToken } from './usecases/reply-refused-token.ts';
import { startSession } from './usecases/start-session.ts';

/** The events that this service handles. */
export const handlers = (ports: Ports) => ({
  'ott.refused': replyRefusedToken(ports),
  'billing.started': startSession(ports),
  'billing.refused': refuseSession(ports),
  'billing.renewed': applyRenewals(ports),
  'billing.exhausted': applyExhaustion(ports),
  'billing.unknown': checkUnknownBilling(ports),
  'billing.stopped': eachOfBundle<'billing.stopped'>(confirmEnd(ports)),
  'launcher-session.started': clearLauncherLapse(ports),
  'launcher-session.lapsed': markLauncherLapse(ports),
  'launcher-session.ended': endWithLauncher(ports),
});

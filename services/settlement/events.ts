import type { Ports } from './ports.ts';
import { confirmPlay } from './usecases/confirm-play.ts';
import { recordPlay } from './usecases/record-play.ts';

/** What this service listens to. */
export const handlers = (ports: Ports) => ({
  'game-session.ending': recordPlay(ports),
  'billing.stopped': confirmPlay(ports),
});

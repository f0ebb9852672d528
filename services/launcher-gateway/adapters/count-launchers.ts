import type { EventCounts } from '#libs/runtime/count-events.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';

/** What launcher sessions count. */
export const launcherCounts = (metrics: Metrics): EventCounts => {
  const events = metrics.counter('gsb_launcher_session_events_total');
  return {
    'launcher-session.started': () => events.inc({ event: 'started' }),
    'launcher-session.lapsed': () => events.inc({ event: 'lapsed' }),
    'launcher-session.ended': () => events.inc({ event: 'ended' }),
  };
};

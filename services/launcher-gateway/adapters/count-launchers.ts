import type { EventCounts } from '#libs/runtime/count-events.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Ports } from '../ports.ts';

/** What launcher sessions count. */
export const launcherCounts = (metrics: Metrics): EventCounts => {
  const events = metrics.counter('gsb_launcher_session_events_total');
  return {
    'launcher-session.started': () => events.inc({ event: 'started' }),
    'launcher-session.lapsed': () => events.inc({ event: 'lapsed' }),
    'launcher-session.ended': () => events.inc({ event: 'ended' }),
  };
};

/** What use cases note: each taken seat is counted, and logged with whether it was by the same key from the same address (D-45). */
export const launcherNotes = (metrics: Metrics, log: Log): Ports['notes'] => {
  const events = metrics.counter('gsb_launcher_session_events_total');
  return {
    seatTaken: ({ from, by }) => {
      events.inc({ event: 'replaced' });
      const reason = from.ip === by.ip ? 'same_address' : 'other_address';
      const fields = {
        event: 'launcher-session.replaced',
        cafeId: by.cafeId,
        pcId: by.pcId,
        keyId: by.keyId,
      };
      log.info({ ...fields, reason }, 'a launcher took the seat of one that was live');
    },
  };
};

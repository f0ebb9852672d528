import type { Catalog } from '#libs/catalog/catalog.ts';
import type { EventCounts } from '#libs/runtime/count-events.ts';
import type { Tallied } from '#libs/records/tally.ts';
import { gameSession } from '#libs/contracts/events/game-sessions.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { NoteSecurity } from '#libs/runtime/security-events.ts';
import type { Session } from '../core/session.ts';
import { usualState } from './session-form.ts';
import type { Ports } from '../ports.ts';

/** After so many reminders of an end its stop has waited for more than five minutes: they follow after 10, 20, 40 s and so on (D-06). */
const remindersInFiveMinutes = 4;

type Counter = Parameters<Metrics['counter']>[0];

/** Counts by the session's game. */
const countersOfGames =
  ({ counter }: Metrics) =>
  (name: Counter) => {
    const counted = counter(name);
    return (session: Session, by = 1) => counted.inc({ game_id: session.gameId }, by);
  };

/** What sessions count: when play ends its seconds. */
export const sessionCounts = (metrics: Metrics): EventCounts => {
  const { counter } = metrics;
  const ofGame = countersOfGames(metrics);
  const [started, exhausted, recovered] = [
    ofGame('gsb_sessions_started_total'),
    ofGame('gsb_sessions_exhausted_total'),
    ofGame('gsb_sessions_recovered_total'),
  ];
  const played = ofGame('gsb_played_seconds_total');
  const ended = counter('gsb_sessions_ended_total');
  const reminders = counter('gsb_stop_reminders_total');
  return {
    'game-session.started': ({ session }) => started(session),
    // The second event of an exhaustion says that its grace has begun (D-37).
    'game-session.exhausted': ({ session }) => session.exhaustedAtMs === null && exhausted(session),
    'game-session.recharged': ({ session }) => recovered(session),
    'game-session.ending': ({ session, again }) => {
      if (again) return;
      const waited = session.reminders > remindersInFiveMinutes ? 'over_5m' : 'under_5m';
      if (session.reminders > 0) return reminders.inc({ waited });
      ended.inc({ game_id: session.gameId, reason: session.endReason ?? 'silence' });
      played(session, session.playDurationSec);
    },
  };
};

/** What the partner has billed of a session's seconds, and by how long its confirmation took. */
const confirmedStops = (metrics: Metrics): Ports['notes']['stopConfirmed'] => {
  const ofGame = countersOfGames(metrics);
  const billed = ofGame('gsb_billed_seconds_total');
  const unbilled = ofGame('gsb_unbilled_seconds_total');
  const overbilled = ofGame('gsb_overbilled_seconds_total');
  const confirmed = metrics.counter('gsb_stops_confirmed_total');
  return (session) => {
    const partnerSec = session.partnerPlayDurationSec ?? 0;
    billed(session, partnerSec);
    unbilled(session, Math.max(0, session.playDurationSec - partnerSec));
    overbilled(session, Math.max(0, partnerSec - session.playDurationSec));
    const late = session.reminders > remindersInFiveMinutes ? 'later' : '5m';
    confirmed.inc({ within: session.reminders === 0 ? '10s' : late });
  };
};

/** What use cases note. */
export const sessionNotes = (metrics: Metrics, note: NoteSecurity): Ports['notes'] => {
  const { counter } = metrics;
  const [late, spared] = [counter('gsb_late_heartbeats_total'), counter('gsb_sessions_spared_total')];
  const notAwaited = counter('gsb_heartbeats_not_awaited_total');
  return {
    heartbeatNotAwaited: (gameId) => notAwaited.inc({ game_id: gameId }),
    lateHeartbeat: (gameId) => late.inc({ game_id: gameId }),
    spared: (gameId) => spared.inc({ game_id: gameId }),
    stopConfirmed: confirmedStops(metrics),
    foreignSession: ({ gameId, keyId }) => note('foreign-session.requested', { gameId, keyId }),
  };
};

/** What a tally of all sessions counts by, and tells: each state of each game, with 0 where there is none. */
export const sessionTally = ({ gauge }: Metrics, catalog: Pick<Catalog, 'games'>) => {
  const sessions = gauge('gsb_game_sessions');
  const told = (tally: readonly Tallied[]): void => {
    sessions.reset();
    for (const state of gameSession.shape.state.options)
      for (const { gameId } of catalog.games()) sessions.set({ state, game_id: gameId }, 0);
    for (const { values, count } of tally) {
      const [state = '', game = ''] = values;
      sessions.set({ state, game_id: game }, count);
    }
  };
  const fields = [
    ['s', 'state', usualState],
    ['g', 'game_id', ''],
  ] as const;
  return { sets: ['expiries', 'deadlines'], fields, told } as const;
};

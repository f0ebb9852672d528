import { counting, extreme, increased, look, rated, ready, series } from './expressions.ts';
import type { Alert } from './types.ts';

const live = { service_name: 'game-session' } as const;
/** Whose heartbeat keeps a session: that of one which is over is no sign that those which live are heard. */
const kept = { result: '~OK|CHARGE_EXHAUSTED' } as const;
const [ended, interval] = ['gsb_sessions_ended_total', 'gsb_heartbeat_interval_seconds'] as const;

/** What keeps play alive, and what ends it. */
export const play: readonly Alert[] = [
  {
    name: 'GsbLateHeartbeats',
    severity: 'page',
    owner: 'play',
    expr: `${increased('gsb_late_heartbeats_total', '10m')} > 5`,
    summary: 'Sessions expired by silence although their players still play.',
    board: 'gsb-heartbeats',
    runbook: {
      meaning:
        'Heartbeats arrive for sessions that have expired: either they were late, or the expiry was false (I5).',
      impact: 'Players were thrown out, and their further play is not billed.',
      diagnosis: [
        look('game-session', 'gsb_late_heartbeats_total'),
        'One game only: its server paused or lost its network. All games: look whether we were away, and whether clocks jumped.',
        look('game-session', 'gsb_view_rebuilds_total'),
      ],
      mitigation: [
        'Nothing brings back an expired session; the players start anew from the launcher.',
        'If sessions go on expiring although we are well, give them longer: raise `limits.SESSION_EXPIRY_SLACK_SEC` of the chart (D-10). It counts from a session’s next heartbeat on.',
      ],
    },
    proof: counting('gsb_late_heartbeats_total', { game_id: 'starfall' }),
  },
  {
    name: 'GsbHeartbeatDeficit',
    severity: 'page',
    owner: 'play',
    expr: `${rated('gsb_heartbeats_total', '5m', kept)} * ${extreme('max', interval)} / (${extreme('max', 'gsb_live_records', live)} > 50) < 0.8`,
    for: '5m',
    summary: 'A fifth of the players that play send no heartbeat.',
    board: 'gsb-heartbeats',
    runbook: {
      meaning:
        'Each live session sends one heartbeat in an interval (120 s, where nothing else is configured); fewer than 80 % of them arrive.',
      impact:
        'At twice the interval these sessions expire by silence, unless the mass-expiry guard holds them (D-25).',
      diagnosis: [
        look('game-session', 'gsb_heartbeats_total'),
        look('game-session', 'gsb_live_records'),
        look('game-session', interval),
        'One game: call its operator. All: look at the edge in front of game-session.',
      ],
      mitigation: [
        'Bring the way from the game servers back. While it is away GsbSweeperPaused tells that nothing expires.',
      ],
    },
    // A hundred are to send fifty a minute every 120 s, and 25 every 240 s; who is over and goes on sending counts for nobody.
    proof: {
      firing: {
        ...series('gsb_heartbeats_total', { game_id: 'starfall', result: 'OK' }, '0+20x60'),
        ...series('gsb_heartbeats_total', { game_id: 'starfall', result: 'SESSION_NOT_FOUND' }, '0+30x60'),
        ...series('gsb_live_records', live, '100x60'),
        ...series(interval, live, '120x60'),
      },
      resting: {
        ...series('gsb_heartbeats_total', { game_id: 'starfall', result: 'OK' }, '0+25x60'),
        ...series('gsb_live_records', live, '100x60'),
        ...series(interval, live, '240x60'),
      },
      afterMin: 20,
    },
  },
  {
    name: 'GsbSilentEnds',
    severity: 'ticket',
    owner: 'play',
    expr: `${increased(ended, '15m', { reason: 'silence' }, 'game_id')} / (${increased(ended, '15m', {}, 'game_id')} > 20) > 0.3`,
    for: '5m',
    summary: 'In {{ $labels.game_id }} a third of the sessions end by silence instead of an end call.',
    board: 'gsb-ends',
    runbook: {
      meaning: 'Players leave, and the game server does not call end.',
      impact: 'Seats stay taken for four minutes; the seconds are right, up to the last heartbeat.',
      diagnosis: [look('game-session', 'gsb_sessions_ended_total'), look('game-session', 'gsb_ends_total')],
      mitigation: [
        'Tell the game’s operator: end is to be called for every player who leaves, and for all at a shutdown.',
      ],
    },
    proof: {
      firing: {
        ...series(ended, { game_id: 'starfall', reason: 'silence' }, '0+4x60'),
        ...series(ended, { game_id: 'starfall', reason: 'game_ended' }, '0+4x60'),
      },
      resting: {
        ...series(ended, { game_id: 'starfall', reason: 'silence' }, '0+1x60'),
        ...series(ended, { game_id: 'starfall', reason: 'game_ended' }, '0+9x60'),
      },
      afterMin: 30,
    },
  },
  {
    name: 'GsbLaunchersSilent',
    severity: 'page',
    owner: 'play',
    expr: `${increased(ended, '10m', { reason: 'launcher_lapsed' })} / (${increased(ended, '10m')} > 20) > 0.3`,
    for: '1m',
    summary: 'A third of the sessions end because nothing is heard of their launchers any more.',
    board: 'gsb-ends',
    runbook: {
      meaning:
        'A launcher that sends no heartbeat for four minutes is taken for a PC that is switched off, and ends the session on it.',
      impact: 'Who still plays is thrown out, and is not billed from then on.',
      diagnosis: [
        look('launcher-gateway', 'gsb_launcher_session_events_total'),
        look('launcher-gateway', 'http_server_request_duration_seconds_count'),
        'One cafe: its network, or a power cut. All: look at the edge in front of launcher-gateway, and whether a launcher was rolled out.',
      ],
      mitigation: [
        'Bring the way from the launchers back, or roll the launcher back. The players start anew from it.',
      ],
    },
    proof: {
      firing: {
        ...series(ended, { game_id: 'starfall', reason: 'launcher_lapsed' }, '0+4x60'),
        ...series(ended, { game_id: 'starfall', reason: 'game_ended' }, '0+4x60'),
      },
      resting: {
        ...series(ended, { game_id: 'starfall', reason: 'launcher_lapsed' }, '0+1x60'),
        ...series(ended, { game_id: 'starfall', reason: 'game_ended' }, '0+9x60'),
      },
      afterMin: 30,
    },
  },
  {
    name: 'GsbSweeperPaused',
    severity: 'page',
    owner: 'play',
    expr: `${extreme('max', 'gsb_sweeper_paused', {}, 'service_name')} > 0`,
    for: '1m',
    summary: 'Too many are late at once, so none expires for seven minutes, and then fifty a second.',
    board: 'gsb-ends',
    runbook: {
      meaning:
        'More than fifty sessions and more than 5 % of the live ones are about to expire: our own fault is likelier than theirs (D-25).',
      impact: 'None for players: late heartbeats are accepted. Seats of those who left stay taken.',
      diagnosis: [look('game-session', 'gsb_sweeper_'), look('game-session', 'gsb_heartbeats_total')],
      mitigation: [
        'Find why heartbeats do not arrive; when they do, it ends by itself.',
        'If the players really left (a cafe chain without power), agree, with the key of an Operator who has the role `sweeper:agree`; it holds for ten minutes. Of launcher-gateway:',
        '`npm run agree -- launcher-sessions`',
        'Of game-session:',
        '`npm run agree -- game-sessions`',
      ],
    },
    proof: {
      firing: series('gsb_sweeper_paused', live, '0x5 1x60'),
      resting: series('gsb_sweeper_paused', live, '0x66'),
      afterMin: 10,
    },
  },
  {
    name: 'GsbSweeperStalled',
    severity: 'page',
    owner: 'play',
    expr: `time() - ${extreme('max', 'gsb_sweeper_last_run_timestamp_seconds', {}, 'service_name')} > 60`,
    for: '1m',
    summary: 'No sweeper of {{ $labels.service_name }} has run for a minute, so nothing expires there.',
    board: 'gsb-ends',
    runbook: {
      meaning:
        'No replica ended a sweep well: Redis is away, the hot view is being rebuilt, or the task is stuck.',
      impact: 'Silent sessions stay live; when sweeps go on they have an amnesty (D-11).',
      diagnosis: [
        look('game-session', 'gsb_redis_connected'),
        look('game-session', 'gsb_sweeper_last_run'),
        ready('game-session'),
      ],
      mitigation: ['Bring Redis back. If it is there, restart the service that is named.'],
    },
    proof: {
      firing: series('gsb_sweeper_last_run_timestamp_seconds', live, '0x66'),
      resting: series('gsb_sweeper_last_run_timestamp_seconds', live, '0+60x66'),
      afterMin: 10,
    },
  },
  {
    name: 'GsbSweeperPutsOff',
    severity: 'ticket',
    owner: 'play',
    expr: `${increased('gsb_sweeper_postponed_records_total', '15m', {}, 'service_name')} > 0`,
    summary: '{{ $labels.service_name }} has due records that it cannot handle.',
    board: 'gsb-ends',
    runbook: {
      meaning:
        'A record whose deadline has passed could not be read or changed; it is put off by a minute, again and again.',
      impact: 'This one session does not expire.',
      diagnosis: [
        look('game-session', 'gsb_sweeper_postponed'),
        'The log names the reason: a due record could not be handled.',
      ],
      mitigation: ['A record of a newer version after a rollback: roll forward again.'],
    },
    proof: counting('gsb_sweeper_postponed_records_total', live),
  },
];

import { increased, look, series } from './expressions.ts';
import type { Alert, Runbook, Series } from './types.ts';

const refused = 'gsb_signature_refusals_total';
const starts = 'gsb_session_starts_total';
const window = '10m';
const late = (by = ''): string => increased(refused, window, { reason: 'outside_window' }, by);
const tries = (by = ''): string =>
  `(${increased(starts, window, {}, by)} + ${increased(refused, window, {}, by)})`;

const runbook: Runbook = {
  meaning:
    'Only the window of a launcher’s signature shows that a clock is wrong (D-35). A page: a pod refuses every fifth start for it, so it is the clock of its node. A ticket: every hundredth start of all is refused for it, so it is the clocks of cafes.',
  impact: 'These launchers do not get in; the answer tells them our time.',
  diagnosis: [
    '`date -u`',
    look('launcher-gateway', refused),
    look('launcher-gateway', 'process_start_time_seconds'),
  ],
  mitigation: [
    'Our clock: bring NTP back on the node. Until then move its pod of launcher-gateway to another one.',
    'A cafe’s clocks: tell the cafe; `authentication.failed` in the log of launcher-gateway names its key.',
  ],
};

/** Starts a minute that a pod takes, and that it refuses because of the time. */
const pod = (instance: string, { taken, refused: late }: { taken: number; refused: number }): Series => ({
  ...series(starts, { result: 'ok', instance }, `0+${taken}x66`),
  ...series(refused, { reason: 'outside_window', instance }, `0+${late}x66`),
});
const many = { taken: 4000, refused: 20 };

/** Whose clock is wrong. */
export const clocks: readonly Alert[] = [
  {
    name: 'GsbClockSkew',
    severity: 'page',
    owner: 'platform',
    expr: `max by (deployment_environment_name) ((${late('instance')} > 10) / ${tries('instance')}) > 0.2`,
    summary: 'A pod refuses many launchers whose time is five minutes from its own: its clock is wrong.',
    board: 'gsb-session-start',
    runbook,
    proof: {
      firing: { ...pod('a', { taken: 0, refused: 100 }), ...pod('b', { taken: 2000, refused: 10 }) },
      resting: { ...pod('a', many), ...pod('b', many) },
      afterMin: 20,
    },
  },
  {
    name: 'GsbClockSkew',
    severity: 'ticket',
    owner: 'platform',
    expr: `(${late()} > 20) / ${tries()} > 0.01`,
    summary: 'Launchers of cafes sign at a time that is five minutes from ours: clocks are wrong.',
    board: 'gsb-session-start',
    runbook,
    proof: {
      firing: pod('a', { taken: 500, refused: 20 }),
      resting: pod('a', many),
      afterMin: 20,
    },
  },
];

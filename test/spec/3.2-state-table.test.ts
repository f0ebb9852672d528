import {
  endings,
  notFound,
  transitions,
  whilePlaying,
} from '../../services/game-session/core/session-states.ts';
import { specTables } from './rows.ts';

/** The table of services/game-session/core/session-states.ts, one printed row each. */
const printed = [
  ...Object.entries(transitions).flatMap(([state, triggers]) =>
    Object.entries(triggers).map(([trigger, next]) => `${state} | ${trigger} → ${next}`),
  ),
  ...Object.entries(whilePlaying).map(
    ([state, { heartbeat, end }]) => `${state} | heartbeat: ${heartbeat}, end: ${end}`,
  ),
  ...Object.entries(endings).map(
    ([reason, { heartbeat, end, playsUntil }]) =>
      `${reason} | heartbeat in ending: ${heartbeat.ending}, in ended: ${heartbeat.ended}, end: ${end}, plays until: ${playsUntil}`,
  ),
  `not found | heartbeat: ${notFound.heartbeat}, end: ${notFound.end}`,
];

/** What the table says about each row of the specification, as far as a table of states and responses can. */
const inTheTable: Readonly<Record<string, readonly [actual: unknown, expected: unknown]>> = {
  '(none), verify → active': [Object.keys(transitions)[0], 'active'],
  'active, heartbeat, normal → active': [
    [transitions.active.beat, whilePlaying.active.heartbeat],
    ['active', 'OK'],
  ],
  'active, heartbeat, billing currency depleted → charge exhausted': [
    [transitions.active.deplete, whilePlaying.charge_exhausted.heartbeat],
    ['charge_exhausted', 'CHARGE_EXHAUSTED'],
  ],
  'active, heartbeat, another game session started on the same PC → replaced': [
    [transitions.active.close, ...Object.values(endings.replaced.heartbeat)],
    ['ending', 'SESSION_REPLACED', 'SESSION_REPLACED'],
  ],
  'active, end → ended': [
    [transitions.active.close, transitions.ending.settle, whilePlaying.active.end],
    ['ending', 'ended', 'SUCCESS'],
  ],
  'active, no heartbeat for 4 minutes → not found': [
    [...Object.values(endings.silence.heartbeat), endings.silence.end],
    ['SESSION_NOT_FOUND', 'SESSION_NOT_FOUND', 'SESSION_NOT_FOUND'],
  ],
  'active, heartbeat while the launcher has been silent for over 4 minutes → ended': [
    Object.values(endings.launcher_lapsed.heartbeat),
    ['SESSION_ENDED', 'SESSION_ENDED'],
  ],
  'ending, heartbeat → ending': [
    [transitions.ending.beat, endings.game_ended.heartbeat.ending],
    [undefined, 'SESSION_ENDING'],
  ],
  'ended, heartbeat → ended': [
    [transitions.ended, endings.game_ended.heartbeat.ended],
    [{}, 'SESSION_ENDED'],
  ],
  'ended, end → ended': [endings.game_ended.end, 'ALREADY_ENDED'],
  'not found, heartbeat or end → not found': [
    notFound,
    { heartbeat: 'SESSION_NOT_FOUND', end: 'SESSION_NOT_FOUND' },
  ],
};

describe('the state machine of a game session is one table, and says what the specification says', () => {
  process.stdout.write(`${printed.join('\n')}\n`);

  test.each(specTables['3.2 game session states'] ?? [])('%s', (row) => {
    const [actual, expected] = inTheTable[row] ?? ['no such row', row];

    expect(actual).toEqual(expected);
  });
});

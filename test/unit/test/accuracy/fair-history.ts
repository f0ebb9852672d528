import type { HistoryLine, LineOf } from '../../../accuracy/history.ts';

/** An answer that came after 10 ms. */
export const call = (
  at: number,
  op: LineOf<'call'>['op'],
  outcome: string,
  more: Partial<LineOf<'call'>> = {},
) => ({ kind: 'call', at, took: 10, op, pc: 'pc-1', outcome, status: 200, token: 1, ...more }) as const;

const limits = {
  OTT_TTL_SEC: '20',
  HEARTBEAT_INTERVAL_SEC: '8',
  SESSION_EXPIRY_SEC: '36',
  GRACE_SEC: '12',
};

/** One player: verified at second 1, a heartbeat at 9, the end at 15; all ledgers say 14 seconds. */
export const fairHistory = (): HistoryLine[] => [
  { kind: 'run', seed: 1, minutes: 1, players: 1, began: 0, limits },
  call(1_000, 'verify', 'VALID', { session: 'gs_1' }),
  call(9_000, 'beat', 'OK', { session: 'gs_1', sec: 8 }),
  call(15_010, 'end', 'SUCCESS', { session: 'gs_1', sec: 14 }),
  { kind: 'played', at: 15_010, session: 'gs_1', sec: 14 },
  { kind: 'partner', id: 'gs_1', user: 'player-1', status: 'stopped', sec: 14, starts: 1, stops: 1 },
  {
    ...{ kind: 'settled', id: 'gs_1', pc: 'pc-1', began: 1_005, ended: 15_015, reason: 'game_ended' },
    ...{ sec: 14, client: null, partner: 14 },
  },
  {
    ...{ kind: 'log', id: 'gs_1', user: 'player-1', pc: 'pc-1', refused: false, stoppedAgain: false },
    steps: [
      [1, 'active', 0],
      [3, 'ending', 14],
      [4, 'ended', 14],
    ],
  },
  { kind: 'claims', tokens: 1, log: [], redis: [] },
  { kind: 'dead', count: 0, reasons: [] },
];

/** The first line of a kind. */
export const of = <K extends HistoryLine['kind']>(history: HistoryLine[], kind: K): LineOf<K> =>
  history.find((line): line is LineOf<K> => line.kind === kind)!;

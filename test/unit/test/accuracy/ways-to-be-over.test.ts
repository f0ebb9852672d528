import type { HistoryLine, LineOf } from '../../../accuracy/history.ts';
import { judge } from '../../../accuracy/judge/judge.ts';
import { call, fairHistory, of } from './fair-history.ts';

type Call = LineOf<'call'>;

const own = { session: 'gs_1' };
const beat = (at: number, outcome: string, more: Partial<Call> = {}) =>
  call(at, 'beat', outcome, { ...own, ...more });
const exhausted = (at: number, more: Partial<Call> = {}) => beat(at, 'CHARGE_EXHAUSTED', more);
const lost = (at: number) => beat(at, 'NOTHING', { status: 0 });
const isOver = (at: number, outcome = 'SESSION_ENDED') => beat(at, outcome, { status: 410 });

/** The player of `fairHistory` does not end the game: play is over for this reason when a heartbeat asks. */
const overBy = (reason: string, lines: readonly HistoryLine[]): HistoryLine[] => {
  const history = fairHistory().filter((line) => line.kind !== 'call' || line.op !== 'end');
  Object.assign(of(history, 'settled'), { reason });
  return [...history, ...lines];
};
const complaints = (history: readonly HistoryLine[]): readonly string[] =>
  judge(history).findings.find(({ name }) => name === 'I5')?.violations ?? [];

describe('a session whose grace was over (D-08, D-37)', () => {
  const ranOut = { kind: 'fault', at: 8_500, until: 14_500, name: 'balance', what: 'short' } as const;
  const overBecause = (calls: readonly Call[]) => complaints(overBy('grace_over', [ranOut, ...calls]));

  test.each<[string, readonly Call[]]>([
    ['it was told 12 s before', [exhausted(17_000), isOver(29_010)]],
    [
      'it was told again and again',
      [exhausted(17_000), exhausted(23_000), exhausted(28_000), isOver(29_010)],
    ],
    ['the answer that told it was lost', [lost(17_000), isOver(29_010)]],
    [
      'the answer that told it was lost after a top-up',
      [exhausted(10_000), beat(13_000, 'OK'), lost(14_000), isOver(27_000)],
    ],
    [
      'a heartbeat of the same moment was OK',
      [exhausted(17_000, { took: 900 }), beat(17_010, 'OK', { took: 1_200 }), isOver(29_010)],
    ],
    [
      'a top-up came in the moment in which the grace ended',
      [exhausted(17_000), beat(28_990, 'OK', { took: 20 }), isOver(30_010)],
    ],
    [
      'it was told once more, after a top-up',
      [exhausted(10_000), beat(13_000, 'OK'), exhausted(17_000), isOver(29_010)],
    ],
  ])('ended rightly where %s', (_, calls) => {
    expect(overBecause(calls)).toEqual([]);
  });

  test.each<[string, readonly Call[]]>([
    ['it was never told', [beat(17_000, 'OK'), isOver(29_010)]],
    ['a top-up came within the grace', [exhausted(10_000), beat(17_000, 'OK'), isOver(25_000)]],
    ['a heartbeat was lost before a top-up alone', [lost(10_000), beat(17_000, 'OK'), isOver(25_000)]],
    ['it was told less than the grace before', [exhausted(17_000), isOver(28_000)]],
  ])('did not where %s', (_, calls) => {
    expect(overBecause(calls)).toEqual([expect.stringContaining('its grace was over')]);
  });

  test('did not where no balance had run out', () => {
    expect(complaints(overBy('grace_over', [exhausted(17_000), isOver(29_010)]))).toHaveLength(1);
  });
});

describe('a session that was replaced', () => {
  const replacedBy = (outcome: string, status = 200) =>
    complaints(
      overBy('replaced', [
        call(15_000, 'verify', outcome, { token: 2, status }),
        isOver(17_000, 'SESSION_REPLACED'),
      ]),
    );

  test.each([
    ['began', 'VALID', 200],
    ['may have begun', 'NOTHING', 0],
    ['may have begun, for all that its caller heard', 'UNAVAILABLE', 503],
  ])('was so rightly where a later one of its PC %s', (_, outcome, status) => {
    expect(replacedBy(outcome, status)).toEqual([]);
  });

  test.each(['OTT_EXPIRED', 'OTT_ALREADY_USED', 'NOT_CHARGEABLE'])(
    'was not where the only later verify of its PC was answered %s',
    (outcome) => {
      expect(replacedBy(outcome)).toEqual([expect.stringContaining('nobody else sat down')]);
    },
  );
});

import type { HistoryLine, LineOf } from '../../../accuracy/history.ts';
import { judge } from '../../../accuracy/judge/judge.ts';
import { call, fairHistory } from './fair-history.ts';

type Call = LineOf<'call'>;

/** Another PC, whose launcher was given token 2 at second 2: it is good until second 22. */
const at2 = (at: number, op: Call['op'], outcome: string, more: Partial<Call> = {}) =>
  call(at, op, outcome, { pc: 'pc-2', token: 2, ...more });
const given = at2(2_000, 'ott', 'SUCCESS');
const [expired, used] = ['OTT_EXPIRED', 'OTT_ALREADY_USED'] as const;

const complaints = (...calls: readonly HistoryLine[]): readonly string[] =>
  judge([...fairHistory(), ...calls]).findings.find(({ name }) => name === 'I9')?.violations ?? [];

describe('a token that a launcher was given (I9)', () => {
  test.each<[string, readonly Call[]]>([
    ['is expired at once', [at2(2_100, 'verify', expired)]],
    ['is used, and nobody has used it', [at2(2_100, 'verify', used)]],
    ['is used by neither of two', [at2(2_100, 'verify', used), at2(2_100, 'verify', used)]],
    [
      'is expired after billing was refused',
      [at2(2_100, 'verify', 'NOT_CHARGEABLE'), at2(3_000, 'verify', expired)],
    ],
    ['is expired a second before its time', [at2(20_900, 'verify', expired)]],
    [
      'is expired, and the PC asked for others long before and after',
      [
        at2(1_000, 'ott', 'SUCCESS', { token: 1 }),
        at2(2_100, 'verify', expired),
        at2(9_000, 'ott', 'SUCCESS', { token: 3 }),
      ],
    ],
  ])('is not good where it %s', (_, calls) => {
    expect(complaints(given, ...calls).length).toBeGreaterThan(0);
  });

  test.each<[string, readonly Call[]]>([
    ['its time was over', [at2(22_100, 'verify', expired)]],
    ['its time was over when the answer came', [at2(15_000, 'verify', expired, { took: 7_500 })]],
    [
      'another verify was answered VALID',
      [at2(2_100, 'verify', 'VALID', { session: 'gs_2' }), at2(9_000, 'verify', used)],
    ],
    [
      'another verify was just claiming it, and billing was refused (D-03)',
      [at2(2_100, 'verify', 'NOT_CHARGEABLE'), at2(2_100, 'verify', used)],
    ],
    [
      'a verify before was not answered',
      [at2(2_100, 'verify', 'NOTHING', { status: 0 }), at2(13_000, 'verify', used)],
    ],
    [
      'the PC asked for another one meanwhile (D-04)',
      [at2(2_050, 'ott', 'SUCCESS', { token: 3 }), at2(2_100, 'verify', expired)],
    ],
    [
      'a request of its PC for another one was not answered, and came late (D-63)',
      [at2(500, 'ott', 'NOTHING', { token: 1, status: 0 }), at2(2_100, 'verify', expired)],
    ],
  ])('may be refused where %s', (_, calls) => {
    expect(complaints(given, ...calls).filter((text) => text.includes('token 2'))).toEqual([]);
  });

  test('may be refused while a clock of ott is wrong, and not before or after', () => {
    const skewed = (at: number, until: number) =>
      complaints(given, at2(9_000, 'verify', expired), {
        ...{ kind: 'fault', at, until, name: 'skew ott-2 +60 s', what: 'its clock' },
      });

    expect(skewed(3_000, 18_000)).toEqual([]);
    expect(skewed(100, 1_900)).toHaveLength(1);
    expect(skewed(9_100, 24_000)).toHaveLength(1);
  });
});

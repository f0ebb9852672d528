import type { HistoryLine, LineOf } from '../../../accuracy/history.ts';
import { outageTable, outagesOf } from '../../../accuracy/outages.ts';

const verify = (at: number, took: number, status: number): LineOf<'call'> => ({
  ...{ kind: 'call', op: 'verify', pc: 'pc-1', outcome: status === 200 ? 'VALID' : 'UNAVAILABLE' },
  ...{ at, took, status },
});
const fault = (name: string, at: number, until: number): LineOf<'fault'> => ({
  ...{ kind: 'fault', name, at, until, what: '' },
});

const history: HistoryLine[] = [
  verify(9_000, 100, 200),
  fault('kill kafka-1', 10_000, 14_000),
  verify(10_500, 5_000, 503),
  verify(11_000, 100, 200),
  verify(11_200, 5_000, 503),
  verify(16_500, 500, 200),
  fault('partner', 30_000, 35_000),
  verify(31_000, 5_000, 503),
  fault('kill kafka-2', 40_000, 44_000),
  verify(40_100, 100, 200),
  verify(45_000, 100, 200),
  fault('kill kafka-3', 50_000, 54_000),
  verify(50_100, 5_000, 503),
];

test('what callers met in a fault is how long answers failed, and how long nobody had a right one, while players came', () => {
  expect(outagesOf(history)).toEqual([
    {
      kind: 'kill kafka',
      verify: [
        { failingMs: 6_200, noneMs: 5_900 },
        { failingMs: 0, noneMs: 0 },
      ],
      heartbeat: [
        { failingMs: 0, noneMs: 0 },
        { failingMs: 0, noneMs: 0 },
      ],
    },
  ]);
});

test('the table has a line for each kind of fault, with the median and the worst', () => {
  expect(outageTable(outagesOf(history)).at(-1)).toMatch(/^ {2}kill kafka \(2\) +0\.0 +\S+ +0\.0 +5\.9/);
  expect(outageTable([])).toEqual([]);
});

import { csvLine } from '../../../../../services/settlement/core/csv.ts';

test.each([
  ['=1+1', `"'=1+1"`],
  ['+82 10', `"'+82 10"`],
  ['-2', `"'-2"`],
  ['@sum(a1)', `"'@sum(a1)"`],
  ['\t=1', `"'\t=1"`],
  ['\r=1', `"'\r=1"`],
  ['=cmd|"/c calc"!a1', `"'=cmd|""/c calc""!a1"`],
])('a text that a spreadsheet would run is a text: %j', (text, cell) => {
  expect(csvLine([text, 1])).toBe(`${cell},1\n`);
});

test.each<[cell: string | number | null, text: string]>([
  [-2, '-2'],
  [0, '0'],
  [null, ''],
  ['cafe-seoul-01', 'cafe-seoul-01'],
  ['a,b', '"a,b"'],
  ['a"b', '"a""b"'],
  ['a=b', 'a=b'],
])('any other cell is as RFC 4180 has it: %j', (cell, text) => {
  expect(csvLine([cell])).toBe(`${text}\n`);
});

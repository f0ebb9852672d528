import { prefersCsv } from '../../../../../services/settlement/statements/accept.ts';

test.each([
  [undefined, false],
  ['*/*', false],
  ['text/csv', true],
  ['application/json, text/csv;q=0.5', false],
  ['text/csv;q=0', false],
  ['Text/CSV, application/json;q=0.9', true],
])('who accepts %s gets CSV: %s', (accept, csv) => {
  expect(prefersCsv(accept)).toBe(csv);
});

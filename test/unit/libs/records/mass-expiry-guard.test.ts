import { isTooMany } from '#libs/records/mass-expiry-guard.ts';

test.each([
  ['fifty may always expire', { overdue: 50, live: 50, agreed: false }, false],
  ['fifty-one of few are too many', { overdue: 51, live: 60, agreed: false }, true],
  ['one in twenty may expire', { overdue: 5_000, live: 100_000, agreed: false }, false],
  ['more than one in twenty are too many', { overdue: 5_001, live: 100_000, agreed: false }, true],
  ['as many as an operator has agreed to', { overdue: 100_000, live: 100_000, agreed: true }, false],
])('%s at once (D-25)', (_, seen, expected) => {
  expect(isTooMany(seen)).toBe(expected);
});

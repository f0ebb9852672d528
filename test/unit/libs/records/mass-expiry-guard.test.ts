import { guardState } from '#libs/records/mass-expiry-guard.ts';
import type { GuardState } from '#libs/records/mass-expiry-guard.ts';

const windowMs = 245_000;
const seen = { agreed: false, heldMs: -1, windowMs };

test.each<[string, Parameters<typeof guardState>[0], GuardState]>([
  ['fifty may always expire', { ...seen, overdue: 50, live: 50 }, 'open'],
  ['fifty-one of few are too many', { ...seen, overdue: 51, live: 60 }, 'holds'],
  ['one in twenty may expire', { ...seen, overdue: 5_000, live: 100_000 }, 'open'],
  ['more than one in twenty are too many', { ...seen, overdue: 5_001, live: 100_000 }, 'holds'],
  [
    'as many as an operator has agreed to',
    { ...seen, overdue: 100_000, live: 100_000, agreed: true },
    'open',
  ],
  [
    'held for a window, but the last suspension is not over: what expired now would be spared, and held again for ever',
    { ...seen, overdue: 60, live: 60, heldMs: windowMs + 4_999 },
    'holds',
  ],
  [
    'held for a whole window, who is silent is silent: they expire at a bounded rate',
    { ...seen, overdue: 60, live: 60, heldMs: windowMs + 5_000 },
    'releases',
  ],
])('%s at once (D-25)', (_, overdue, expected) => {
  expect(guardState(overdue)).toBe(expected);
});

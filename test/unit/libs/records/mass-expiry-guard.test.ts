import { guardState } from '#libs/records/mass-expiry-guard.ts';
import type { GuardState } from '#libs/records/mass-expiry-guard.ts';

const windowMs = 245_000;
const seen = { agreed: false, heldMs: -1, windowMs, heartbeatMs: 120_000, overdue: 0 };

test.each<[string, Parameters<typeof guardState>[0], GuardState]>([
  ['fifty may always expire', { ...seen, late: 50, live: 50 }, 'open'],
  ['fifty-one of few are too many', { ...seen, late: 51, live: 60 }, 'holds'],
  ['one in twenty may expire', { ...seen, late: 5_000, live: 100_000 }, 'open'],
  ['more than one in twenty are too many', { ...seen, late: 5_001, live: 100_000 }, 'holds'],
  ['as many as an operator has agreed to', { ...seen, late: 100_000, live: 100_000, agreed: true }, 'open'],
  [
    'held for a window, but the last suspension is not over: what expired now would be spared, and held again for ever',
    { ...seen, late: 60, live: 60, heldMs: windowMs + 124_999 },
    'holds',
  ],
  [
    'held for a whole window, who is silent is silent: they expire at a bounded rate',
    { ...seen, late: 60, live: 60, heldMs: windowMs + 125_000 },
    'releases',
  ],
])('%s at once (D-25)', (_, overdue, expected) => {
  expect(guardState(overdue)).toBe(expected);
});

describe('when fewer are late again (D-25)', () => {
  const fewer = { ...seen, late: 50, live: 1_000, heldMs: 30_000 };

  test.each([
    ['those who have not been heard yet are waited for as long as a heartbeat may take', 119_999, 'holds'],
    ['after that it is open', 120_000, 'open'],
  ])('%s', (_, sinceMs, expected) => {
    expect(guardState(fewer, sinceMs)).toBe(expected);
  });

  test('whoever was waited for during a whole window is not waited for once more', () => {
    expect(guardState({ ...fewer, heldMs: windowMs + 125_000 }, 0)).toBe('open');
  });
});

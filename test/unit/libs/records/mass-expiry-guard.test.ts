import { guardState, suspendsMs } from '#libs/records/mass-expiry-guard.ts';
import type { GuardState, Overdue } from '#libs/records/mass-expiry-guard.ts';

const [windowMs, heartbeatMs] = [245_000, 120_000];
/** A window, a heartbeat, and half a heartbeat before the first of those who are late is due. */
const longestMs = 425_000;
const seen: Omit<Overdue, 'late' | 'live'> = {
  ...{ agreed: false, heldMs: -1, suspendedMs: 0, windowMs, heartbeatMs, overdue: 0 },
};

test.each<[string, Overdue, GuardState]>([
  ['fifty may always be late', { ...seen, late: 50, live: 50 }, 'open'],
  ['fifty-one of few are too many', { ...seen, late: 51, live: 60 }, 'holds'],
  ['one in twenty may be', { ...seen, late: 5_000, live: 100_000 }, 'open'],
  ['more than one in twenty are too many', { ...seen, late: 5_001, live: 100_000 }, 'holds'],
  ['as many as an operator has agreed to', { ...seen, late: 100_000, live: 100_000, agreed: true }, 'open'],
  [
    'fewer are again, and the last of them are waited for',
    { ...seen, late: 50, live: 1_000, heldMs: 30_000, suspendedMs: 1 },
    'holds',
  ],
  [
    'fewer are again, and have had their time',
    { ...seen, late: 50, live: 1_000, heldMs: 30_000, suspendedMs: 0 },
    'open',
  ],
  ['too many, and not held for long enough', { ...seen, late: 60, live: 60, heldMs: longestMs - 1 }, 'holds'],
  [
    'held for long enough, who is silent is silent: they expire at a bounded rate',
    { ...seen, late: 60, live: 60, heldMs: longestMs },
    'releases',
  ],
  [
    'fewer after that: nobody is waited for once more',
    { ...seen, late: 50, live: 60, heldMs: longestMs, suspendedMs: 1 },
    'open',
  ],
])('%s (D-25)', (_, overdue, expected) => {
  expect(guardState(overdue)).toBe(expected);
});

test('a sweep suspends expiries for a heartbeat, but not beyond the time at which who is silent is silent', () => {
  const tooMany = { ...seen, late: 60, live: 60 };

  expect(suspendsMs(tooMany)).toBe(heartbeatMs);
  expect(suspendsMs({ ...tooMany, heldMs: longestMs - heartbeatMs + 1_000 })).toBe(heartbeatMs - 1_000);
  expect(suspendsMs({ ...tooMany, late: 50 })).toBe(0);
});

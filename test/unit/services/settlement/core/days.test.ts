import fc from 'fast-check';
import { boundsOf, dayOf, daysAfter } from '../../../../../services/settlement/core/days.ts';

describe('a day', () => {
  test('of Seoul begins at three in the afternoon of the day before, in UTC (D-31)', () => {
    expect(boundsOf('2026-11-20', 'Asia/Seoul')).toEqual({
      beginsAtMs: Date.parse('2026-11-19T15:00:00Z'),
      endsAtMs: Date.parse('2026-11-20T15:00:00Z'),
    });
  });

  test.each(['Asia/Seoul', 'UTC', 'America/New_York', 'America/Santiago', 'Pacific/Kiritimati'])(
    'in %s every instant is within the bounds of its own day, and days leave no gap',
    (zone) => {
      const instants = fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2040-01-01') });
      fc.assert(
        fc.property(instants, (instant) => {
          const day = dayOf(instant, zone);
          const { beginsAtMs, endsAtMs } = boundsOf(day, zone);
          expect(instant >= beginsAtMs && instant < endsAtMs).toBe(true);
          expect(boundsOf(daysAfter(day, 1), zone).beginsAtMs).toBe(endsAtMs);
        }),
        { numRuns: 60 },
      );
    },
  );
});

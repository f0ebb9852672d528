import fc from 'fast-check';
import { parseJsonStream } from '../../../../../services/settlement/core/json-stream.ts';
import { prefersCsv } from '../../../../../services/settlement/statements/accept.ts';
import { boundsOf, dayOf, daysAfter } from '../../../../../services/settlement/core/days.ts';
import { differencesOf } from '../../../../../services/settlement/closing/differences.ts';
import type { Compared } from '../../../../../services/settlement/closing/differences.ts';

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

const agreed: Compared = {
  playSec: 600,
  clientSec: 598,
  confirmedSec: 600,
  statement: { status: 'stopped', playSec: 600 },
};

test.each<[string, Partial<Compared>, string[]]>([
  ['all books agree', {}, []],
  ['the game measured nothing', { clientSec: null }, []],
  ['the partner lacks the session', { statement: 'missing' }, ['missing_at_partner serious']],
  [
    'the partner still bills',
    { statement: { status: 'started', playSec: 480 } },
    ['not_stopped_at_partner notable'],
  ],
  ['the partner has not confirmed', { confirmedSec: null }, ['not_confirmed serious']],
  [
    'nobody asked for the statement',
    { statement: 'left_out', confirmedSec: 601 },
    ['partner_counted_more notable'],
  ],
  [
    'the partner counted less',
    { confirmedSec: 300, statement: { status: 'stopped', playSec: 300 } },
    ['partner_counted_less serious'],
  ],
  ['answer and statement differ', { confirmedSec: 601 }, ['answer_and_statement_differ notable']],
  ['the game counted on', { clientSec: 700 }, ['client_measured_more notable']],
  ['the game began late', { clientSec: 400 }, ['client_measured_less serious']],
])('when %s, the differences are told with their cause', (_, change, expected) => {
  const found = differencesOf({ ...agreed, ...change });

  expect(found.map(({ cause, band }) => `${cause} ${band}`)).toEqual(expected);
});

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

const collected = async (pieces: Buffer[]) => {
  const all: unknown[] = [];
  for await (const some of parseJsonStream(
    (async function* () {
      yield* pieces;
    })(),
  ))
    all.push(...some);
  return all;
};

test('a list of objects is read the same however its bytes are cut into pieces', async () => {
  const objects = fc.array(
    fc.record({
      a: fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('},{', '"},{"', '\\"},{')),
      b: fc.integer(),
      c: fc.record({ d: fc.array(fc.record({ e: fc.string() })) }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(objects, fc.integer({ min: 1, max: 400 }), fc.nat(2), async (billings, size, indent) => {
      const bytes = Buffer.from(JSON.stringify({ billings, more: [{}, {}] }, null, indent));
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      expect(await collected(pieces)).toEqual(JSON.parse(JSON.stringify(billings)));
    }),
  );
});

test.each([
  '',
  '[]',
  '{"error":"no"}',
  '{"billings":[{"a":1}',
  '{"billings":[',
  '{"billings":[{"a":1},{"b":}]}',
])('a body that is no whole list is refused: %s', async (body) => {
  await expect(collected([Buffer.from(body)])).rejects.toThrow();
});

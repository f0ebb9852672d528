import { z } from 'zod';
import { recordParser } from '#libs/records/record-parser.ts';

const parse = recordParser(
  z.object({
    version: z.int().positive(),
    token_hash: z.string().regex(/^[0-9a-f]{4}$/),
    state: z.enum(['issued', 'claimed']),
    is_pc_cafe: z.boolean(),
    address: z.union([z.ipv4(), z.ipv6()]),
    claim: z.object({ claimed_at_ms: z.int() }).nullable(),
    event_ids: z.array(z.string()).max(3).default([]),
    ends_at_ms: z.int().nullable().default(null),
  }),
);
const record = {
  ...{ version: 3, token_hash: '0123', state: 'claimed', is_pc_cafe: true, address: '203.0.113.10' },
  ...{ claim: { claimed_at_ms: 5 }, event_ids: ['e1'], ends_at_ms: null },
};
const parsed = {
  ...{ version: 3, tokenHash: '0123', state: 'claimed', isPcCafe: true, address: '203.0.113.10' },
  ...{ claim: { claimedAtMs: 5 }, eventIds: ['e1'], endsAtMs: null },
};

test.each(['packed', 'json'] as const)('a record that was %s is parsed', (source) => {
  expect(parse(record, source)).toEqual(parsed);
});

test.each([
  ['without a field', { ...record, token_hash: null }],
  ['with a number that is none', { ...record, version: NaN }],
  ['with a number that is not whole', { ...record, version: 1.5 }],
  ['in a state of a later version', { ...record, state: 'paused' }],
  ['without a field of what it holds', { ...record, claim: { claimed_at_ms: undefined } }],
  ['with a list of other things', { ...record, event_ids: [1] }],
  ['with an address that is none', { ...record, address: 'somewhere' }],
  ['that is no object', 'record'],
])('a packed record %s is refused, as one that was JSON', (_, damaged) => {
  expect(() => parse(damaged, 'packed')).toThrow(z.ZodError);
  expect(() => parse(damaged, 'json')).toThrow(z.ZodError);
});

test('a packed record of before a field has its default, and nothing that it has too much', () => {
  const { ends_at_ms: _, ...before } = record;

  expect(parse({ ...before, more: 1 }, 'packed')).toEqual(parsed);
});

test('what our own code has packed is looked at for its kind alone, JSON value by value (D-65)', () => {
  const odd = { ...record, token_hash: 'odd' };

  expect(parse(odd, 'packed')).toEqual({ ...parsed, tokenHash: 'odd' });
  expect(() => parse(odd, 'json')).toThrow(z.ZodError);
});

test('a record whose fields become something else when they are parsed has no parser', () => {
  expect(() => recordParser(z.object({ at: z.string().transform(Number) }))).toThrow('of the kind pipe');
});

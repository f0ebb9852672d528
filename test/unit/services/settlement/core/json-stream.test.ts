import fc from 'fast-check';
import { parseJsonStream } from '../../../../../services/settlement/core/json-stream.ts';

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
  '{"billings":[{"a":1}{"b":2}]}',
  '{"billings":[{"a":1}1]}',
  '{"billings":[{"a":1},]}',
  '{"billings":[{"a":1}],}',
  `{"billings":[${'['.repeat(70_000)}`,
])('a body that is no whole list is refused: %s', async (body) => {
  await expect(collected([Buffer.from(body)])).rejects.toThrow();
});

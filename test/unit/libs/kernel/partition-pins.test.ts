import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { isSameButForPin, mostPartitions, pinOf, pinnedAs, withPin } from '#libs/kernel/partition-pins.ts';
import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import { launcherSessionId } from '#libs/contracts/fields.ts';

const uuids = fc.uuid({ version: 4 });
const counts = fc.integer({ min: 1, max: mostPartitions });

test('an id tells the count that it was made with, and is a UUID still', () => {
  const property = fc.property(uuids, counts, (id, count) => {
    const pinned = withPin(id, count);
    expect(launcherSessionId.parse(pinned)).toBe(pinned);
    expect(pinOf(pinned)).toBe(count);
    expect(pinOf(gameSessionIdFor(pinned, `pc_${'0'.repeat(32)}`))).toBe(count);
    expect(withPin(pinned, count)).toBe(pinned);
    expect(isSameButForPin(pinned, id)).toBe(true);
  });
  fc.assert(property);
});

test('ids without a pin tell nothing, nor do those of which a digit is another', () => {
  const ids = Array.from({ length: 10_000 }, () => randomUUID());
  const pinned = withPin(ids[0] ?? '', 12);
  const digit = pinned.at(-1) === '0' ? '1' : '0';

  expect(ids.filter((id) => pinOf(id) !== undefined).length).toBeLessThan(3);
  expect(pinOf(pinned.slice(0, -1) + digit)).toBeUndefined();
  expect(['', '203.0.113.1', 'heartbeats.v1', `pc_${'0'.repeat(32)}`].map(pinOf)).toEqual(
    Array(4).fill(undefined),
  );
});

test('an id can tell what another one tells, and no count that it has no digits for', () => {
  const [one, other] = [randomUUID(), randomUUID()];

  expect(pinOf(pinnedAs(one, withPin(other, 48)))).toBe(48);
  expect(pinnedAs(one, other)).toBe(one);
  for (const count of [0, -1, 1.5, mostPartitions + 1]) expect(() => withPin(one, count)).toThrow(RangeError);
});

import { shards } from '#libs/kernel/shards.ts';
import { slotCount } from '#libs/redis/cluster-slots.ts';
import {
  evenShare,
  placedSlots,
  shardSlots,
  slotOf,
} from '../../../../../deploy/generate/charts/sizing/hash-slots.ts';

test.each([
  ['123456789', 0x31c3],
  ['foo', 12_182],
  ['{user1000}.following', 3_443],
  ['foo{bar}{zap}', 5_061],
])('the slot of %s is that which a Redis Cluster says', (key, slot) => {
  expect(slotOf(key)).toBe(slot);
});

test('each shard of the hot view is in a slot of its own', () => {
  expect(new Set(shardSlots).size).toBe(shards.length);
});

test.each([
  [4, 0.3125],
  [8, 0.1875],
  [16, 0.1875],
  [32, 0.1875],
])('slots that are divided evenly among %d primaries put %d of the shards on one', (primaries, share) => {
  expect(evenShare(primaries)).toBe(share);
});

test.each([4, 8, 16])('%d primaries with the slots of the README have as many shards each', (primaries) => {
  const lasts = placedSlots(primaries);
  const shardsOf = lasts.map(
    (last, at) => shardSlots.filter((slot) => slot <= last && slot > (lasts[at - 1] ?? -1)).length,
  );

  expect(lasts.at(-1)).toBe(slotCount - 1);
  expect(new Set(shardsOf)).toEqual(new Set([shards.length / primaries]));
});

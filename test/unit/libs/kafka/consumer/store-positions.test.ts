import { createRangeCheck } from '#libs/kafka/consumer/store-positions.ts';
import type { StorePositions } from '#libs/kafka/consumer/store-positions.ts';
import type { Log } from '#libs/runtime/log.ts';

/** A store of one partition, which can fall back to an earlier position, as a backup does that is put back in its place. */
const fallingBack = () => {
  const world = { position: 0, errors: 0 };
  const positions: StorePositions = {
    advance: async ({ from, to }, force) => {
      if (from > world.position && !force) return world.position;
      world.position = Math.max(world.position, to);
      return undefined;
    },
    current: async () => [],
  };
  const log = { warn: () => undefined, error: () => void (world.errors += 1) } as unknown as Log;
  const { check } = createRangeCheck(positions, log);
  return { world, read: (from: number, to: number) => check({ topic: 't', partition: 0, from, to }) };
};

test('a store that falls back is read for again from where it stands, however often it falls back to the same place (D-38)', async () => {
  const { world, read } = fallingBack();
  await read(0, 400);
  world.position = 150;
  expect(await read(400, 410)).toBe(150);
  await read(150, 900);

  world.position = 150;

  expect(await read(900, 910)).toBe(150);
  expect(world.errors).toBe(0);
});

test('what the log does not hold any more is passed over after one try', async () => {
  const { world, read } = fallingBack();
  world.position = 150;
  expect(await read(400, 410)).toBe(150);

  expect(await read(300, 410)).toBeUndefined();

  expect(world).toEqual({ position: 410, errors: 1 });
});

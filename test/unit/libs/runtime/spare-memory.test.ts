import type { Log } from '#libs/runtime/log.ts';
import { createLook } from '#libs/runtime/spare-memory.ts';
import { processOf } from '../../../support/process-of.ts';

const MiB = 2 ** 20;

/** A process as it seems, and how often it has collected. */
const world = () => {
  const seen = {
    utilization: 0.49,
    resident: 150 * MiB,
    spare: 112 * MiB,
    nowMs: 0,
    collected: 0,
    left: { resident: 130 * MiB, spare: 90 * MiB },
    fails: false,
    said: [] as unknown[],
  };
  const say = (fields: unknown) => void seen.said.push(fields);
  const log = { info: say, warn: say } as unknown as Log;
  const look = createLook(log, {
    utilization: () => seen.utilization,
    memory: () => ({ resident: seen.resident, spare: seen.spare }),
    collect: () => {
      seen.collected += 1;
      seen.nowMs += 80;
      if (seen.fails) throw new Error('no collection');
      Object.assign(seen, seen.left);
    },
    nowMs: () => seen.nowMs,
  });
  return { seen, look };
};

describe('memory that holds nothing is given back (D-67)', () => {
  test('from 112 MiB on, and the log says what was resident, what is, and how long it took', () => {
    const { seen, look } = world();
    seen.spare -= 1;
    look();
    expect(seen.collected).toBe(0);

    seen.spare += 1;
    look();

    expect(seen.collected).toBe(1);
    expect(seen.said).toEqual([{ durationMs: 80, from: 157, to: 136 }]);
  });

  test('from 160 resident MiB on as well: what V8 takes for objects may be garbage', () => {
    const { seen, look } = world();
    seen.spare = 50 * MiB;
    seen.resident = 160 * MiB - 1;
    look();
    expect(seen.collected).toBe(0);

    seen.resident += 1;
    look();
    expect(seen.collected).toBe(1);
  });

  test.each(['spare', 'resident'] as const)(
    'but not while the process works for 60 %% of its time: %s',
    (which) => {
      const { seen, look } = world();
      Object.assign(seen, { resident: 150 * MiB, spare: 50 * MiB, utilization: 0.6 });
      seen[which] = 500 * MiB;
      look();
      expect(seen.collected).toBe(0);

      seen.utilization = 0.59;
      look();
      expect(seen.collected).toBe(1);
    },
  );

  /** The minutes in which a process that has too much whenever it is looked at is collected. */
  const minutesOf = ({ seen, look }: ReturnType<typeof world>, minutes: readonly number[]): number[] =>
    minutes.filter((minute) => {
      const before = seen.collected;
      seen.spare = 500 * MiB;
      seen.nowMs = minute * 60_000;
      look();
      return seen.collected > before;
    });

  test('once in two minutes at most, and less often where as much always comes again: in ten', () => {
    const minutes = Array.from({ length: 60 }, (_, minute) => minute);

    expect(minutesOf(world(), minutes)).toEqual([0, 2, 6, 14, 24, 34, 44, 54]);
  });

  test('after two minutes again once as much has not come for long', () => {
    expect(minutesOf(world(), [0, 2, 6, 14, 35, 36, 37])).toEqual([0, 2, 6, 14, 35, 37]);
  });

  test.each([
    ['spare', 120, 144],
    ['spare', 240, 270],
    ['resident', 150, 174],
    ['resident', 240, 270],
  ] as const)(
    'not again for what a collection has left: %s, %i MiB, until there are %i',
    (which, left, again) => {
      const { seen, look } = world();
      seen.left[which] = left * MiB;
      look();
      seen.nowMs += 120_000;
      seen[which] = again * MiB - 1;
      look();
      expect(seen.collected).toBe(1);

      seen[which] += 1;
      look();
      expect(seen.collected).toBe(2);
    },
  );

  test('or the log says why not, and the process lives', () => {
    const { seen, look } = world();
    seen.fails = true;

    look();
    look();

    expect(seen.collected).toBe(1);
    expect(seen.said).toEqual([{ error: new Error('no collection') }]);
  });

  test('by a process whose pages V8 would keep: most of what holds nothing is gone', async () => {
    const program = `
      import { createLog } from '#libs/runtime/log.ts';
      import { spareMemory } from '#libs/runtime/spare-memory.ts';
      let held = [];
      for (let round = 0; round < 40; round += 1)
        held = Array.from({ length: 200_000 }, (_, index) => ({ index, text: 'held ' + index }));
      held = held.slice(0, 5_000);
      const log = createLog({ service: 'test', instance: 'test', level: 'info' });
      await spareMemory(log, 20).start(() => undefined);
      setInterval(() => held.length, 1_000);
    `;
    const { child, printed, ended } = processOf(program);
    await printed(/gave back/);
    child.kill();
    const { logged } = await ended;

    const { from, to } = JSON.parse(logged[0] ?? '') as { from: number; to: number };
    // Of more than 250 it leaves 76 to 104: what Node itself needs, and what its other threads have in hand.
    expect(from).toBeGreaterThan(200);
    expect(to).toBeLessThan(from / 2);
  });
});

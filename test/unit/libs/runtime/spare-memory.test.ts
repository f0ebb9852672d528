import type { Log } from '#libs/runtime/log.ts';
import { createLook } from '#libs/runtime/spare-memory.ts';

const MiB = 2 ** 20;

/** A process as it seems, and what its log says. V8 collects after a look if it is asked to give pages back, unless it `rests`. */
const world = () => {
  const seen = {
    utilization: 0.49,
    resident: 150 * MiB,
    spare: 112 * MiB,
    nowMs: 0,
    left: { resident: 130 * MiB, spare: 90 * MiB },
    rests: false,
    collectedAtOnce: 0,
    fails: false,
    cannotTell: false,
    said: [] as unknown[],
  };
  let collectedByV8: ((pauseMs: number) => void) | undefined;
  const say = (fields: unknown) => void seen.said.push(fields);
  const log = { info: say, warn: say } as unknown as Log;
  const lookOnce = createLook(log, {
    utilization: () => seen.utilization,
    memory: () => {
      if (seen.cannotTell) throw new Error('no descriptor is free');
      return { resident: seen.resident, spare: seen.spare };
    },
    economize: (collected) => {
      if (seen.fails) throw new Error('no collection');
      collectedByV8 = collected;
      return () => (collectedByV8 = undefined);
    },
    collect: () => {
      if (seen.fails) throw new Error('no collection');
      seen.collectedAtOnce += 1;
      seen.nowMs += 80;
      Object.assign(seen, seen.left);
    },
    nowMs: () => seen.nowMs,
  });
  const v8Collects = (left = seen.left): void => {
    Object.assign(seen, left);
    collectedByV8?.(40);
  };
  const look = (): void => {
    lookOnce();
    for (let times = 0; times < 3 && collectedByV8 && !seen.rests; times += 1) v8Collects();
  };
  return { seen, look, v8Collects, isAsked: () => collectedByV8 !== undefined };
};

/** One that V8 has been asked in, without having collected. */
const askedWorld = () => {
  const asked = world();
  asked.seen.rests = true;
  asked.look();
  return asked;
};

describe('memory that holds nothing is given back (D-67)', () => {
  test('from 112 MiB on, and the log says what was resident, what is, and how long it took', () => {
    const { seen, look } = world();
    seen.spare -= 1;
    look();
    expect(seen.said).toHaveLength(0);

    seen.spare += 1;
    look();

    expect(seen.said).toHaveLength(1);
    expect(seen.said).toEqual([{ durationMs: 40, from: 157, to: 136 }]);
  });

  test('from 160 resident MiB on as well: what V8 takes for objects may be garbage', () => {
    const { seen, look } = world();
    seen.spare = 50 * MiB;
    seen.resident = 160 * MiB - 1;
    look();
    expect(seen.said).toHaveLength(0);

    seen.resident += 1;
    look();
    expect(seen.said).toHaveLength(1);
  });

  test.each(['spare', 'resident'] as const)(
    'but not while the process works for 90 %% of its time: %s',
    (which) => {
      const { seen, look } = world();
      Object.assign(seen, { resident: 150 * MiB, spare: 50 * MiB, utilization: 0.9 });
      seen[which] = 500 * MiB;
      look();
      expect(seen.said).toHaveLength(0);

      seen.utilization = 0.89;
      look();
      expect(seen.said).toHaveLength(1);
    },
  );

  /** The minutes in which a process that has too much whenever it is looked at is collected. */
  const minutesOf = ({ seen, look }: ReturnType<typeof world>, minutes: readonly number[]): number[] =>
    minutes.filter((minute) => {
      const before = seen.said.length;
      seen.spare = 500 * MiB;
      seen.nowMs = minute * 60_000;
      look();
      return seen.said.length > before;
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
      expect(seen.said).toHaveLength(1);

      seen[which] += 1;
      look();
      expect(seen.said).toHaveLength(2);
    },
  );

  test('or the log says why not, and the process lives', () => {
    const { seen, look } = world();
    seen.fails = true;

    look();
    look();

    expect(seen.said).toEqual([{ error: new Error('no collection') }]);
  });

  test('by the second of V8’s collections where the first, which may have begun before, gives nothing back', () => {
    const { seen, v8Collects, isAsked } = askedWorld();
    v8Collects({ resident: 150 * MiB, spare: 112 * MiB });
    expect(isAsked()).toBe(true);

    v8Collects();

    expect(isAsked()).toBe(false);
    expect(seen.said).toEqual([{ durationMs: 80, from: 157, to: 136 }]);
  });

  test('with what two collections leave, if that is no less', () => {
    const { seen, look, v8Collects, isAsked } = world();
    Object.assign(seen, { rests: true, left: { resident: 150 * MiB, spare: 112 * MiB } });
    look();
    v8Collects();
    v8Collects();

    expect(isAsked()).toBe(false);
    expect(seen.said).toEqual([{ durationMs: 80, from: 157, to: 157 }]);
  });

  test('at once where V8 has not collected until the process works for less than 10 % of its time', () => {
    const { seen, look, isAsked } = askedWorld();
    seen.utilization = 0.1;
    look();
    expect([seen.collectedAtOnce, isAsked()]).toEqual([0, true]);

    seen.utilization = 0.09;
    look();

    expect([seen.collectedAtOnce, isAsked()]).toEqual([1, false]);
    expect(seen.said).toEqual([{ durationMs: 80, from: 157, to: 136 }]);
  });

  test('so too where the one collection that V8 has made gave nothing back: that may have begun before', () => {
    const { seen, look, v8Collects, isAsked } = askedWorld();
    seen.utilization = 0.09;
    v8Collects({ resident: 150 * MiB, spare: 112 * MiB });
    look();

    expect([seen.collectedAtOnce, isAsked()]).toEqual([1, false]);
    expect(seen.said).toEqual([{ durationMs: 120, from: 157, to: 136 }]);
  });

  test('and V8 is not asked a second time before the first is over', () => {
    const { seen, look, v8Collects } = askedWorld();
    seen.nowMs += 600_000;
    look();
    v8Collects();

    expect(seen.said).toHaveLength(1);
  });

  test('and the log says so where nobody can tell what a collection has left', () => {
    const { seen, look, v8Collects, isAsked } = askedWorld();
    seen.cannotTell = true;
    v8Collects();
    expect(seen.said).toEqual([{ error: new Error('no descriptor is free') }]);

    Object.assign(seen, { cannotTell: false, utilization: 0.09 });
    look();

    expect(isAsked()).toBe(false);
    expect(seen.said).toHaveLength(2);
  });

  test('or not, and V8 saves nothing any more, where that one fails', () => {
    const { seen, look, isAsked } = askedWorld();
    seen.utilization = 0.09;
    seen.fails = true;
    look();
    look();

    expect(isAsked()).toBe(false);
    expect(seen.said).toEqual([{ error: new Error('no collection') }]);
  });

  test('and not again by the look after that of V8’s own', () => {
    const { seen, look } = world();
    look();
    look();

    expect([seen.said.length, seen.collectedAtOnce]).toEqual([1, 0]);
  });
});

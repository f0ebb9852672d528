import { getHeapSpaceStatistics } from 'node:v8';
import fc from 'fast-check';
import { PassingMap, PassingSet } from '#libs/kernel/passing-map.ts';
import { collectGarbage } from '../../../support/collect-garbage.ts';

const comings = 20_000;
/** What comes goes when so many others have come. */
const atOnce = 100;

describe('a map of what comes and goes', () => {
  test('holds what a Map holds, in its order, however much has gone through it', () => {
    const key = fc.nat({ max: 300 });
    const steps = fc.array(fc.record({ key, comes: fc.boolean(), allGo: fc.nat({ max: 999 }) }), {
      minLength: 2_000,
      maxLength: 4_000,
    });
    fc.assert(
      fc.property(steps, (all) => {
        const [map, passing] = [new Map<number, number>(), new PassingMap<number, number>()];
        const went: boolean[] = [];
        const passed: boolean[] = [];
        const leave = (each: number): void => {
          went.push(map.delete(each));
          passed.push(passing.delete(each));
        };
        all.forEach(({ key: each, comes, allGo }, at) => {
          if (comes) map.set(each, at);
          if (comes) passing.set(each, at);
          else leave(each);
          if (allGo === 0) [...map.keys()].forEach(leave);
        });
        expect(passed).toEqual(went);
        expect(passing.values()).toEqual([...map.values()]);
        expect(passing.size).toBe(map.size);
        for (let each = 0; each <= 300; each += 1)
          expect([passing.has(each), passing.get(each)]).toEqual([map.has(each), map.get(each)]);
      }),
      { numRuns: 30 },
    );
  });

  test('one that never goes is kept', () => {
    const passing = new PassingMap<string, number>();
    passing.set('stays', 1);

    for (let step = 0; step < comings; step += 1) {
      passing.set(`${step}`, step);
      passing.delete(`${step - atOnce}`);
    }

    expect(passing.get('stays')).toBe(1);
    expect(passing.size).toBe(1 + atOnce);
    expect(passing.values()[0]).toBe(1);
  });

  test('a set is one of its members', () => {
    const [first, second] = [{}, {}];
    const set = new PassingSet<object>();
    set.add(first);
    set.add(second);
    set.add(first);

    expect(set.values()).toEqual([first, second]);
    expect([set.delete(first), set.delete(first), set.has(first), set.has(second), set.size]).toEqual([
      ...[true, false, false, true, 1],
    ]);
  });
});

const oldBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? NaN;

type Passing = Pick<Map<unknown, unknown>, 'set' | 'delete'>;

/** Lets objects of about 1 kB come and go. */
const pass = (map: Passing, from: number, to: number): void => {
  for (let step = from; step < to; step += 1) {
    map.set(
      step,
      Array.from({ length: 100 }, () => step),
    );
    map.delete(step - atOnce);
    if (step % 1_000 === 0) collectGarbage({ type: 'minor' });
  }
};

/** How many bytes become old while 20,000 objects pass through a map whose table is old, beside one that stays. */
const becomeOld = (map: Passing): number => {
  map.set('stays', {});
  pass(map, 0, 2_000);
  // All of it: what suites before this one left would otherwise be collected while we count.
  collectGarbage();
  collectGarbage();
  const before = oldBytes();
  pass(map, 2_000, 2_000 + comings);
  return oldBytes() - before;
};

/** If the first of these fails, V8 has mended it, and a Map will do. */
describe('what has gone through it is collected young (D-64)', () => {
  test('of a Map much becomes old', () => {
    expect(becomeOld(new Map())).toBeGreaterThan(2_000_000);
  });

  test('of this one little', () => {
    expect(becomeOld(new PassingMap() as unknown as Passing)).toBeLessThan(500_000);
  });
});

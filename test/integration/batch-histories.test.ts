import fc from 'fast-check';
import { alone, closeSessions, newWorld, together } from './batch-world.ts';
import type { Said, Seat, Way } from './batch-world.ts';

afterAll(closeSessions);

const places = 6;
const starfall = { gameId: 'starfall', launcher: undefined };
const seat = fc.record({
  agoSec: fc.constantFrom(0, 1, 40, 200, 300),
  gameId: fc.constantFrom('starfall', 'starfall', 'starfall', 'moonrise'),
  launcher: fc.constantFrom(undefined, undefined, undefined, 'lapsed' as const, 'ended' as const),
});
const seats = fc.array(seat, { minLength: places, maxLength: places });

/** Sessions by their places; the last is one that nobody knows. */
const some = fc.uniqueArray(fc.nat(places), { minLength: 1, maxLength: places + 1 });
const user = fc.constantFrom('u1', 'u1', 'u1', 'another', '');
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('heartbeats' as const), some, user }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('ends' as const), some, sec: fc.nat(9) }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constantFrom('deplete' as const, 'settle' as const), some }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type World = Awaited<ReturnType<typeof newWorld>>;

const play = async (world: World, way: Way, told: Step): Promise<Said[]> => {
  if (told.does === 'heartbeats') return world.beat(way, told.some, told.user);
  if (told.does === 'ends') return world.end(way, told.some, told.sec);
  await world.change(told.some, told.does);
  return [];
};
const wordsOf = (said: readonly Said[]) => said.map(({ status, word }) => `${status} ${word}`);

test('in 60 random histories a batch of heartbeats or ends is answered, stored and published as its single calls begun in one turn (D-41)', async () => {
  const seed = Date.now();
  console.log(`seed ${seed}`);
  const seen = new Map<string, number>();
  const history = async (seated: readonly Seat[], steps: readonly Step[]): Promise<void> => {
    const [inBatches, asSingles] = [await newWorld(seated), await newWorld(seated)];
    for (const told of steps) {
      const [batched, single] = [await play(inBatches, together, told), await play(asSingles, alone, told)];
      expect(wordsOf(batched)).toEqual(wordsOf(single));
      batched.forEach(({ sec = 0 }, at) =>
        expect(Math.abs(sec - (single[at]?.sec ?? 0))).toBeLessThanOrEqual(1),
      );
      expect(await inBatches.stored()).toEqual(await asSingles.stored());
      expect(inBatches.published).toEqual(asSingles.published);
      for (const word of wordsOf(batched)) seen.set(word, (seen.get(word) ?? 0) + 1);
    }
  };
  const steps = fc.array(step, { minLength: 3, maxLength: 10 });

  await fc.assert(fc.asyncProperty(seats, steps, history), { numRuns: 60, seed });

  // Histories that reach nothing would hold anything.
  const words = ['200 OK', '200 CHARGE_EXHAUSTED', '200 SUCCESS', '400 BAD_REQUEST', '404 SESSION_NOT_FOUND'];
  for (const word of [...words, '409 ALREADY_ENDED', '410 SESSION_ENDED', '410 SESSION_ENDING'])
    expect([...seen.keys()]).toContain(word);
}, 120_000);

const known = fc.uniqueArray(fc.nat(places - 1), { minLength: 1, maxLength: places });
const called = fc.record({
  way: fc.constantFrom<Way[]>(together, alone),
  does: fc.constantFrom('heartbeats', 'ends'),
  some: known,
});
type Called = typeof called extends fc.Arbitrary<infer C> ? C : never;

test('in 60 random races of batches and single calls begun in one turn each session ends once, and whoever comes later hears so (D-41, I6)', async () => {
  const seed = Date.now();
  console.log(`seed ${seed}`);
  const seen = new Map<string, number>();
  const calls = fc.array(called, { minLength: 2, maxLength: 5 });
  const race = async (all: readonly Called[]): Promise<void> => {
    const seated = Array.from({ length: places }, () => ({ ...starfall, agoSec: 40 }));
    const world = await newWorld(seated);
    const said = await Promise.all(
      all.map(({ way, does, some: at }) => (does === 'ends' ? world.end(way, at, 7) : world.beat(way, at))),
    );
    const stored = await world.stored();
    const heard = (place: number, what: string) =>
      all.flatMap(({ does, some: at }, index) =>
        does === what && at.includes(place) ? wordsOf([said[index]![at.indexOf(place)]!]) : [],
      );
    for (const place of seated.keys()) {
      const [ends, beats] = [heard(place, 'ends'), heard(place, 'heartbeats')];
      const late = ends.slice(1).map(() => '409 ALREADY_ENDED');
      expect(ends.sort()).toEqual(ends.length > 0 ? ['200 SUCCESS', ...late] : []);
      expect(['200 OK', ...(ends.length > 0 ? ['410 SESSION_ENDING'] : [])]).toEqual(
        expect.arrayContaining([...new Set(beats)]),
      );
      expect(stored[place]?.slice(0, 3)).toEqual(
        ends.length > 0 ? ['ending', 'game_ended', 7] : ['active', null, null],
      );
      const told = world.published[place]!;
      expect(told.filter((name) => name === 'game-session.ending')).toHaveLength(ends.length > 0 ? 1 : 0);
      expect(told.filter((name) => name === 'game-session.heartbeat')).toHaveLength(
        beats.filter((word) => word === '200 OK').length,
      );
      for (const word of beats) seen.set(word, (seen.get(word) ?? 0) + 1);
    }
  };

  await fc.assert(fc.asyncProperty(calls, race), { numRuns: 60, seed });

  expect(seen.get('200 OK')).toBeGreaterThan(50);
  expect(seen.get('410 SESSION_ENDING')).toBeGreaterThan(10);
}, 120_000);

/** A sequence of numbers in [0, 1) that a seed determines (mulberry32). */
const numbers = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** Chance that can be had again: the same seed and stream, the same decisions. */
export const seeded = (seed: number, stream = 0) => {
  const next = numbers(Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b));
  const between = (from: number, to: number): number => from + next() * (to - from);
  const pick = <T>(items: readonly [T, ...T[]]): T => items[Math.floor(next() * items.length)] ?? items[0];
  return {
    between,
    pick,
    chance: (part: number): boolean => next() < part,
    shuffled: <T>(items: readonly T[]): T[] =>
      items
        .map((item) => ({ item, place: next() }))
        .toSorted((one, other) => one.place - other.place)
        .map(({ item }) => item),
  };
};

/** Seeded chance. */
export type Chance = ReturnType<typeof seeded>;

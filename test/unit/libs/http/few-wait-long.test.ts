import { fewWaitLong } from '#libs/http/few-wait-long.ts';

/** Requests on a clock to turn: what the last of so many of one moment hears. */
const world = (otherwise: 'usual' | 'brief' = 'usual') => {
  const of = { nowMs: 0 };
  const gathers = fewWaitLong(
    () => otherwise,
    () => of.nowMs,
  );
  return { of, come: (count: number) => Array.from({ length: count }, gathers).at(-1) };
};

describe('requests that nobody waits for gather (D-56)', () => {
  test('for long while fewer than a hundred come in a second, and as usual from the hundredth on', () => {
    const { come } = world();

    expect(come(99)).toBe('long');
    expect(come(1)).toBe('usual');
  });

  test('as usual in the second after one in which a hundred came', () => {
    const { of, come } = world();
    come(100);

    of.nowMs = 1_000;
    expect(come(1)).toBe('usual');

    of.nowMs = 2_000;
    expect(come(1)).toBe('long');
  });

  test('for long after a second in which none came', () => {
    const { of, come } = world();
    come(100);

    of.nowMs = 2_000;

    expect(come(1)).toBe('long');
  });

  test('as they do otherwise where they are many', () => {
    expect(world('brief').come(100)).toBe('brief');
  });
});

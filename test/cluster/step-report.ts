/** Something that was promised and is not so; what was found instead. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** Throws when it is not so. */
export const must = (is: boolean, what: string): void => {
  if (!is) throw new Broken(what);
};

/** Asks until the answer satisfies, and gives it and how long that took in seconds. Throws with the last answer after the deadline. */
export const within = async <T>(
  deadlineSec: number,
  what: string,
  ask: () => Promise<T>,
  satisfies: (answer: T) => boolean,
): Promise<{ answer: T; tookSec: number }> => {
  const began = performance.now();
  const tookSec = () => (performance.now() - began) / 1000;
  for (;;) {
    const answer = await ask();
    if (satisfies(answer)) return { answer, tookSec: tookSec() };
    if (tookSec() > deadlineSec)
      throw new Broken(
        `${what}: not within ${deadlineSec} s; last: ${JSON.stringify(answer)?.slice(0, 600)}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};

/** Seconds, as they are told. */
export const seconds = (value: number): string => `${value.toFixed(1)} s`;

const saidOf = (error: unknown): string =>
  error instanceof Broken
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);

/** Tells the steps of the test, one line each, and keeps the figures for the end. Things can be looked at while they are as the first broken step left them. */
export const createTeller = (
  print: (line: string) => void,
  onFirstBroken: () => Promise<unknown> = async () => undefined,
) => {
  const figures: [name: string, value: string][] = [];
  let broken = 0;
  return {
    print,
    broken: () => broken,
    figure: (name: string, value: string) => void figures.push([name, value]),
    /** A step: what it found is told beside it, or why it is broken. The next one is gone about all the same; gives whether it held. */
    step: async (what: string, work: () => Promise<string | undefined>): Promise<boolean> => {
      const began = performance.now();
      const took = () => seconds((performance.now() - began) / 1000).padStart(8);
      try {
        const found = await work();
        print(`✓ ${took()}  ${what}${found === undefined ? '' : `: ${found}`}`);
        return true;
      } catch (error) {
        broken += 1;
        print(`✗ ${took()}  ${what}\n    ${saidOf(error).replaceAll('\n', '\n    ')}`);
        if (broken === 1) await onFirstBroken();
        return false;
      }
    },
    tellFigures: () => {
      print('\nFigures');
      for (const [name, value] of figures) print(`  ${name.padEnd(52)} ${value}`);
    },
  };
};

/** Who tells the test. */
export type Teller = ReturnType<typeof createTeller>;

/** An expectation that does not hold; the message says what was found. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** Throws Broken unless `is`. */
export const must = (is: boolean, what: string): void => {
  if (!is) throw new Broken(what);
};

/** Polls until the answer satisfies; resolves to it and to how long that took, in seconds. Throws Broken with the last answer after the deadline. */
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

/** Seconds as they are printed. */
export const seconds = (value: number): string => `${value.toFixed(1)} s`;

const describe = (error: unknown): string =>
  error instanceof Broken
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);

/** Prints the steps of the test, one line each, and keeps the figures for the end. `onFirstBroken` runs while everything is as the first broken step left it. */
export const createStepReport = (
  print: (line: string) => void,
  onFirstBroken: () => Promise<unknown> = async () => undefined,
) => {
  const figures: [name: string, value: string][] = [];
  let broken = 0;
  return {
    print,
    broken: () => broken,
    figure: (name: string, value: string) => void figures.push([name, value]),
    /** Runs a step and prints what it found, or why it is broken; resolves to whether it held. The next step runs all the same. */
    step: async (what: string, work: () => Promise<string | undefined>): Promise<boolean> => {
      const began = performance.now();
      const took = () => seconds((performance.now() - began) / 1000).padStart(8);
      try {
        const found = await work();
        print(`✓ ${took()}  ${what}${found === undefined ? '' : `: ${found}`}`);
        return true;
      } catch (error) {
        broken += 1;
        print(`✗ ${took()}  ${what}\n    ${describe(error).replaceAll('\n', '\n    ')}`);
        if (broken === 1) await onFirstBroken();
        return false;
      }
    },
    printFigures: () => {
      print('\nFigures');
      for (const [name, value] of figures) print(`  ${name.padEnd(52)} ${value}`);
    },
  };
};

/** The report of one run. */
export type StepReport = ReturnType<typeof createStepReport>;

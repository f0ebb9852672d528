import type { Heard } from '../http-client.ts';

/** Writes one line for the person at the terminal. */
export type Print = (line: string) => void;

const ms = (value: number) => `${value.toFixed(0)} ms`.padStart(7);

const saidBack = <T>(heard: Heard<T>): string =>
  heard.ok ? JSON.stringify(heard.data) : `${heard.status} ${heard.code}`;

const shortened = (text: string): string =>
  text
    .replace(/("(?:sessionToken|ott)":"[^"]{8})[^"]*/g, '$1…')
    .replace(/"games":\[.*?\]/, '"games":[…]')
    .slice(0, 150);

/** Prints a journey step by step, and counts the steps that were wrong. */
export const createStepPrinter = (print: Print) => {
  let wrong = 0;
  let totalMs = 0;
  const note = (ok: boolean, what: string) => {
    if (!ok) wrong += 1;
    print(`  ${ok ? '✓' : '✗'} ${what}`);
  };
  return {
    print,
    heading: (text: string) => print(`\n${text}`),
    /** A call: what was sent, how long it took, what came back, and whether that was expected. */
    call: async <T>(
      what: string,
      sent: Promise<Heard<T>>,
      expected: (heard: Heard<T>) => boolean,
    ): Promise<Heard<T>> => {
      const heard = await sent;
      totalMs += heard.tookMs;
      note(expected(heard), `${ms(heard.tookMs)}  ${what.padEnd(40)} → ${shortened(saidBack(heard))}`);
      return heard;
    },
    check: (what: string, ok: boolean) => note(ok, what),
    spentMs: () => totalMs,
    wrong: () => wrong,
  };
};

/** The printer of one journey. */
export type StepPrinter = ReturnType<typeof createStepPrinter>;

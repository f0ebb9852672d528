import { parseArgs } from 'node:util';
import { z } from 'zod';

const usage = `npm run accuracy -- --minutes 5 --players 500 --seed 7
npm run accuracy -- --topology many --minutes 10 --players 200 --seed 7
npm run accuracy -- --judge .local/accuracy/seed-7/history.jsonl`;

const number = (what: string, min: number, max: number) =>
  z.coerce
    .number(`--${what} must be a number`)
    .min(min, `--${what} must be at least ${min}`)
    .max(max, `--${what} must be at most ${max}`);

const schema = z.object({
  minutes: number('minutes', 0.5, 120).default(5),
  players: number('players', 1, 5_000).pipe(z.int('--players must be a whole number')).default(500),
  seed: number('seed', 0, 2 ** 31)
    .pipe(z.int('--seed must be a whole number'))
    .default(7),
  topology: z.enum(['one', 'many'], '--topology must be one or many').default('one'),
  judge: z.string().optional(),
});

/** What was asked for. */
export type Options = z.output<typeof schema>;

/** Told to the person at the terminal, with how to ask instead. */
export class BadOptions extends Error {}

const parsed = (args: readonly string[]) => {
  const text = { type: 'string' } as const;
  const options = { minutes: text, players: text, seed: text, topology: text, judge: text };
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new BadOptions(`${error instanceof Error ? error.message : String(error)}\n${usage}`, {
      cause: error,
    });
  }
};

/** Reads the command line. Throws BadOptions with all problems. */
export const readOptions = (args: readonly string[]): Options => {
  const read = schema.safeParse(parsed(args));
  if (read.success) return read.data;
  throw new BadOptions([...read.error.issues.map(({ message }) => message), usage].join('\n'));
};

import { z } from 'zod';
import { readCommandLine } from '../support/command-options.ts';

const usage = `npm start, and in another terminal:
npm run attack
npm run attack -- --players 500 --rate 200 --seconds 8`;

const whole = (what: string, min: number, max: number) =>
  z.coerce
    .number(`--${what} must be a number`)
    .int(`--${what} must be a whole number`)
    .min(min, `--${what} must be at least ${min}`)
    .max(max, `--${what} must be at most ${max}`);

/** Bounded: this is for the stack of this machine, and no tool to attack others with. */
const schema = z.object({
  players: whole('players', 1, 5_000).default(500),
  rate: whole('rate', 1, 2_000).default(200),
  seconds: whole('seconds', 2, 60).default(8),
  stack: z.string().optional(),
});

/** What was asked for. */
export type Options = z.output<typeof schema>;

const text = { type: 'string' } as const;

/** Reads the command line. Throws BadOptions with all problems. */
export const readOptions = (args: readonly string[]): Options =>
  readCommandLine(args, {
    ...{ schema, usage },
    options: { players: text, rate: text, seconds: text, stack: text },
  });

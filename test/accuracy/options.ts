import { z } from 'zod';
import { knownFaults } from './known-faults.ts';
import type { AskedFault } from './schedule.ts';
import { readCommandLine } from '../support/command-options.ts';

const usage = `npm run accuracy -- --minutes 5 --players 500 --seed 7
npm run accuracy -- --topology many --minutes 10 --players 200 --seed 7
npm run accuracy -- --topology many --redis cluster --minutes 10 --players 200
npm run accuracy -- --topology many --minutes 5 --players 100 --faults 'kill kafka-2 for 4 s, move leaders'
npm run accuracy -- --judge .local/accuracy/seed-7/history.jsonl`;

const number = (what: string, min: number, max: number) =>
  z.coerce
    .number(`--${what} must be a number`)
    .min(min, `--${what} must be at least ${min}`)
    .max(max, `--${what} must be at most ${max}`);

/** `kill kafka-2 for 4 s`: a fault and how long it lasts; without a length it lasts as long as it takes. */
const faultPattern = /^(?<name>.+?)(?: for (?<sec>\d+) s)?$/;

const faultOf = (text: string): AskedFault => {
  const { name = text, sec } = faultPattern.exec(text)?.groups ?? {};
  return { name, forSec: Number(sec ?? 0) };
};

const fields = z.object({
  minutes: number('minutes', 0.5, 120).default(5),
  players: number('players', 1, 5_000).pipe(z.int('--players must be a whole number')).default(500),
  seed: number('seed', 0, 2 ** 31)
    .pipe(z.int('--seed must be a whole number'))
    .default(7),
  topology: z.enum(['one', 'many'], '--topology must be one or many').default('one'),
  redis: z.enum(['sentinel', 'cluster'], '--redis must be sentinel or cluster').default('sentinel'),
  faults: z
    .string()
    .transform((list) => list.split(',').map((text) => faultOf(text.trim())))
    .optional(),
  judge: z.string().optional(),
});

/** A run that meets a fault that nobody can do would be found out only when its stack is up. */
const schema = fields.superRefine(({ faults = [], topology }, context) => {
  for (const { name } of faults)
    if (!knownFaults[topology].has(name))
      context.addIssue({
        code: 'custom',
        message: `--faults: '${name}' is no fault of --topology ${topology}`,
      });
});

/** What was asked for. */
export type Options = z.output<typeof schema>;

const text = { type: 'string' } as const;
const options = {
  minutes: text,
  players: text,
  seed: text,
  topology: text,
  redis: text,
  faults: text,
  judge: text,
};

/** Reads the command line. Throws BadOptions with all problems. */
export const readOptions = (args: readonly string[]): Options =>
  readCommandLine(args, { schema, options, usage });

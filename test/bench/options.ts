import { z } from 'zod';
import { phaseNames } from './phases.ts';
import type { PhaseName } from './phases.ts';
import { readCommandLine } from '../support/command-options.ts';

const usage = `RATE_LIMITS=off npm start, and in another terminal:
npm run bench -- --phase heartbeat --rate 3000 --seconds 30 --sessions 20000
npm run bench -- --all --seconds 60
npm run bench -- --phase heartbeat --rate 500 --sessions 2000 --silent 100000
npm run bench -- --phase heartbeat --rate 500 --sessions 2000 --live 200000
npm run bench -- --phase heartbeat --rate 2000 --compare HEARTBEAT_BILLING_WAIT_MS=800,HEARTBEAT_BILLING_WAIT_MS=400
npm run bench -- --phase heartbeat --rate 2000 --compare ../before,.`;

const number = (what: string, min: number, max: number) =>
  z.coerce
    .number(`--${what} must be a number`)
    .min(min, `--${what} must be at least ${min}`)
    .max(max, `--${what} must be at most ${max}`);
const whole = (what: string, min: number, max: number) =>
  number(what, min, max).pipe(z.int(`--${what} must be a whole number`));

/** `heartbeat`, or `heartbeat@1500` for a rate of its own. */
const phasePattern = new RegExp(`^(${phaseNames.join('|')})(?:@([1-9]\\d*))?$`);
const mostPerSec = 200_000;
/** A side waits for two slices of the other one in a row: who says nothing for four minutes is gone. */
const longestSliceSec = 100;
const phaseOf = (text: string) => {
  const [, phase = '', rate] = phasePattern.exec(text) ?? [];
  return { phase: phase as PhaseName, rate: rate === undefined ? undefined : Number(rate) };
};
const phaseError = `--phase must be of ${phaseNames.join(', ')}, each with @RATE or without`;
const phaseList = z
  .string()
  .refine((list) => list.split(',').every((text) => phasePattern.test(text)), phaseError)
  .transform((list) => list.split(',').map(phaseOf))
  .refine((all) => all.every(({ rate = 1 }) => rate <= mostPerSec), `@RATE must be at most ${mostPerSec}`);

const schema = z
  .object({
    phase: phaseList.optional(),
    all: z.boolean().default(false),
    rate: number('rate', 1, mostPerSec).optional(),
    seconds: number('seconds', 1, 3_600).default(30),
    warmup: number('warmup', 0, 120).default(5),
    sessions: whole('sessions', 1, 500_000).default(20_000),
    connections: whole('connections', 1, 5_000).default(512),
    ceiling: z.boolean().default(true),
    profile: z.boolean().default(false),
    silent: whole('silent', 1, 1_000_000).optional(),
    live: whole('live', 1, 1_000_000).optional(),
    slices: whole('slices', 1, 100).default(6),
    compare: z
      .string()
      .transform((pair) => pair.split(',').map((side) => side.trim()))
      .pipe(z.tuple([z.string(), z.string()], '--compare needs two settings, with a comma between them'))
      .optional(),
    stack: z.string().optional(),
  })
  .refine(({ all, phase }) => !(all && phase), '--all and --phase exclude each other')
  .refine(({ all, rate }) => !all || rate === undefined, '--all has rates of its own, without --rate')
  .refine(({ all, compare }) => !(all && compare), '--compare needs a --phase')
  .refine(
    ({ compare, phase = [], stack }) => !compare || (phase.length <= 1 && stack === undefined),
    '--compare measures a single --phase, on stacks of its own: without --stack',
  )
  .refine(
    ({ compare, seconds, warmup }) => !compare || seconds + warmup <= longestSliceSec,
    `--compare: --seconds and --warmup must be at most ${longestSliceSec} together, or players fall silent while the other side is measured`,
  )
  .refine(
    ({ silent, phase = [], all, compare }) => silent === undefined || !(all || compare || phase.length > 1),
    '--silent needs a single --phase',
  )
  .refine(
    ({ live, phase = [], all, compare, silent }) =>
      live === undefined || !(all || compare || silent !== undefined || phase.length > 1),
    '--live needs a single --phase, and nothing else beside it',
  )
  .refine(
    ({ all, compare, profile }) => !profile || !(all || compare),
    '--profile needs a --phase, and disturbs what it measures: it goes with neither --all nor --compare',
  );

/** What was asked for. */
export type Options = z.output<typeof schema>;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const options = {
  ...{ phase: text, all: flag, rate: text, seconds: text, warmup: text, sessions: text },
  ...{ connections: text, silent: text, live: text, ceiling: flag, profile: flag },
  ...{ slices: text, compare: text, stack: text },
};

/** Reads the command line. Throws BadOptions with all problems. */
export const readOptions = (args: readonly string[]): Options =>
  readCommandLine(args, { schema, options, usage, allowNegative: true });

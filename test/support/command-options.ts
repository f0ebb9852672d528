import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import type { z } from 'zod';

/** Told to the person at the terminal, with how to ask instead. */
export class BadOptions extends Error {}

interface CommandLine<S extends z.ZodType> {
  readonly schema: S;
  readonly options: NonNullable<ParseArgsConfig['options']>;
  readonly usage: string;
  /** Whether a flag may be negated by `--no-`. */
  readonly allowNegative?: boolean;
}

/** Reads a command line. Throws BadOptions with all problems. */
export const readCommandLine = <S extends z.ZodType>(
  args: readonly string[],
  { schema, options, usage, allowNegative = false }: CommandLine<S>,
): z.output<S> => {
  const parsed = () => {
    try {
      return parseArgs({ args: [...args], options, allowNegative }).values;
    } catch (error) {
      throw new BadOptions(`${error instanceof Error ? error.message : String(error)}\n${usage}`, {
        cause: error,
      });
    }
  };
  const read = schema.safeParse(parsed());
  if (read.success) return read.data;
  throw new BadOptions([...read.error.issues.map(({ message }) => message), usage].join('\n'));
};

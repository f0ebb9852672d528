import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import { ConfigError } from '#libs/runtime/config.ts';
import { runMain } from '#libs/runtime/run-main.ts';

/** The exit codes that all commands share; `failed` is also that of an unexpected error. */
export const exitCodes = { done: 0, failed: 1, misused: 2 } as const;

/** An expected failure: printed in one line without a stack, and the command ends with its exit code. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command line is not as the help says. */
export class Misuse extends CommandFailure {
  constructor(message: string) {
    super(`${message} (--help says more)`, exitCodes.misused);
  }
}

/** Prints a line of the result to stdout. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints a line to stderr: progress, warnings and failures. */
export const printToStderr = (line: string): void => void process.stderr.write(`${line}\n`);

/** Parses options; what does not parse is a Misuse. */
export const orMisuse = <T>(parse: () => T): T => {
  try {
    return parse();
  } catch (error) {
    throw new Misuse((error as Error).message.split(/\.\s/)[0] ?? 'the options are not as the help says');
  }
};

const helpOption = { help: { type: 'boolean', default: false } } as const;

/** The options of a command, as `parseArgs` of Node takes them. */
type Options = NonNullable<ParseArgsConfig['options']>;

/** The values of the options that were given. */
export type Given<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>['values'];

/** A command: its name in messages, its help, its options besides --help, and its work, which resolves to the exit code. */
interface Command<O extends Options> {
  readonly name: string;
  readonly help: string;
  readonly options: O;
  readonly allowPositionals?: boolean;
  readonly run: (given: Given<O>, positionals: readonly string[]) => Promise<number>;
}

const runParsed = async <O extends Options>({ help, options, run, ...rest }: Command<O>): Promise<number> => {
  const { allowPositionals = false } = rest;
  const config = { options: { ...options, ...helpOption } as Options, allowPositionals };
  const { values, positionals } = orMisuse(() => parseArgs(config));
  if (values['help'] !== true) return run(values as Given<O>, positionals);
  process.stdout.write(help);
  return exitCodes.done;
};

/** Runs a command to its end: prints the help if that is asked for, and prints a CommandFailure or ConfigError in one line. */
export const runCommand = <O extends Options>(command: Command<O>): void =>
  runMain(async () => {
    try {
      process.exitCode = await runParsed(command);
    } catch (error) {
      if (!(error instanceof CommandFailure || error instanceof ConfigError)) throw error;
      printToStderr(`${command.name}: ${error.message}`);
      process.exitCode = error instanceof CommandFailure ? error.exitCode : exitCodes.misused;
    }
  });

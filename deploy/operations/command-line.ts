import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import { ConfigError } from '#libs/runtime/config.ts';
import type { Operator } from '#libs/catalog/catalog.ts';
import type { OperatorRole } from '#libs/contracts/operators.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { auditedOperation } from './audited-operation.ts';
import type { Audited } from './audited-operation.ts';
import { CommandFailure, Misuse, exitCodes } from './command-failure.ts';
import { firstLines } from './first-lines.ts';
import { asOperator } from './operator.ts';

export { CommandFailure, Misuse, exitCodes } from './command-failure.ts';

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

const flag = { type: 'boolean', default: false } as const;
const commonOptions = { help: flag, 'key-stdin': flag } as const;
const roleHelp = (role: OperatorRole) =>
  `  OPERATOR_KEY says who runs it, or with --key-stdin the first line of stdin: an operator with the role ${role}.\n`;

/** The options of a command, as `parseArgs` of Node takes them. */
type Options = NonNullable<ParseArgsConfig['options']>;

/** The values of the options that were given. */
export type Given<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>['values'];

/**
 * A command: its name in messages, the role that an operator needs for it, its help, its options besides --help, which values of them the audit
 * may name, and its work, which resolves to the exit code. `player`: the option that names one; given as `-` it is the next line of stdin, because
 * what stands in a command line is in the list of processes, and in the audit log of the Kubernetes API.
 */
interface Command<O extends Options> {
  readonly name: string;
  readonly role: OperatorRole;
  readonly help: string;
  readonly options: O;
  readonly audited?: Audited;
  readonly player?: string & keyof O;
  readonly allowPositionals?: boolean;
  readonly run: (
    given: Given<O>,
    positionals: readonly string[],
    operator: Operator | undefined,
  ) => Promise<number>;
}

/** What comes by stdin: the key, and behind it the player. */
const readTyped = async (hasKey: boolean, hasPlayer: boolean) => {
  const lines = await firstLines(process.stdin, Number(hasKey) + Number(hasPlayer));
  const key = hasKey ? (lines[0]?.trim() ?? '') : undefined;
  return { key, player: hasPlayer ? (lines[Number(hasKey)] ?? '') : undefined };
};

const runParsed = async <O extends Options>(command: Command<O>): Promise<number> => {
  const { name, role, help, options, audited = {}, player, allowPositionals = false } = command;
  const config = { options: { ...options, ...commonOptions } as Options, allowPositionals };
  const { values, positionals } = orMisuse(() => parseArgs(config));
  if (values['help'] === true) {
    process.stdout.write(help + roleHelp(role));
    return exitCodes.done;
  }
  const chosen = Object.entries(options).filter(([option, { default: usual }]) => values[option] !== usual);
  const given = Object.fromEntries(chosen.map(([option]) => [option, values[option]]));
  const operation = auditedOperation({ name, audited, words: positionals, values: given });
  const isTyped = player !== undefined && values[player] === '-';
  const typed = await readTyped(values['key-stdin'] === true, isTyped);
  const known = { ...values, ...(isTyped && { [player]: typed.player }) };
  return asOperator({ role, command: name, operation, typedKey: typed.key }, (operator) =>
    command.run(known as Given<O>, positionals, operator),
  );
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

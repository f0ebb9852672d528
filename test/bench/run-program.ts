import { resolve } from 'node:path';
import { BadOptions } from '../support/command-options.ts';
import { NoStack } from './the-stack.ts';

/** Where the stack of this checkout describes itself. */
export const usualStack = resolve(import.meta.dirname, '../../.local/stack.json');

const failed = (error: unknown): number => {
  const isTold = error instanceof NoStack || error instanceof BadOptions;
  const text = error instanceof Error ? (isTold ? error.message : error.stack) : undefined;
  process.stderr.write(`${text ?? String(error)}\n`);
  return isTold ? 2 : 1;
};

/** Runs a program that drives a stack, and exits with its code, with 2 for what the person at the terminal has to mend, or with 1. */
export const runProgram = async (run: () => Promise<number>): Promise<void> => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  process.exitCode = await run().catch(failed);
};

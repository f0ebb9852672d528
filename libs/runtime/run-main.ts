import { ConfigError } from './config.ts';

const minNodeVersion = 24;

const printError = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const messageOf = (error: unknown): string =>
  error instanceof ConfigError
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);

/** Runs a program. When it throws, the error is printed on stderr (only the message of a ConfigError) and the process exits with 1. */
export const runMain = (program: () => Promise<unknown>): void => {
  if (Number.parseInt(process.versions.node, 10) < minNodeVersion) {
    printError(`Node ${minNodeVersion} or later is needed, this is ${process.versions.node}`);
    process.exit(1);
  }
  program().catch((error: unknown) => {
    printError(messageOf(error));
    process.exit(1);
  });
};

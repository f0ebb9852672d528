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

/** Whoever runs the command may not; `operator` is undefined when nobody knows who it is. */
export class Refused extends CommandFailure {
  readonly operator: string | undefined;

  constructor(message: string, operator?: string) {
    super(message, exitCodes.misused);
    this.operator = operator;
  }
}

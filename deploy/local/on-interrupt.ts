const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ends a program that is interrupted, or whose terminal is closed, and exits with 130. A terminal's Ctrl-C comes twice, from itself and from npm that started us: the second
 * one changes nothing, so `end` may be called twice.
 */
export const onInterrupt = (end: () => Promise<unknown>): void => {
  const leave = (): void => void end().finally(() => process.exit(130));
  for (const signal of signals) process.on(signal, leave);
};

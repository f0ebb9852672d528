const endings = ['SIGTERM', 'SIGINT'] as const;
const accidents = ['uncaughtException', 'unhandledRejection'] as const;

/** Calls `end` on SIGTERM and SIGINT, `fatal` on errors that nobody caught. Returns how to stop listening. */
export const onSignals = (end: (signal: string) => void, fatal: (error: unknown) => void): (() => void) => {
  for (const signal of endings) process.on(signal, end);
  for (const accident of accidents) process.on(accident, fatal);
  return () => {
    for (const signal of endings) process.off(signal, end);
    for (const accident of accidents) process.off(accident, fatal);
  };
};

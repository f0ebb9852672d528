const stopSignals = ['SIGTERM', 'SIGINT'] as const;
const crashEvents = ['uncaughtException', 'unhandledRejection'] as const;

/** Calls `end` on SIGTERM and SIGINT, and `fatal` on errors that nobody caught. Returns a function that removes the listeners. */
export const onSignals = (end: (signal: string) => void, fatal: (error: unknown) => void): (() => void) => {
  for (const signal of stopSignals) process.on(signal, end);
  for (const accident of crashEvents) process.on(accident, fatal);
  return () => {
    for (const signal of stopSignals) process.off(signal, end);
    for (const accident of crashEvents) process.off(accident, fatal);
  };
};

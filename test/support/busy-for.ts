/** Keeps the process busy for so long: its event loop stands still. */
export const busyFor = (ms: number): void => {
  for (const until = performance.now() + ms; performance.now() < until;);
};

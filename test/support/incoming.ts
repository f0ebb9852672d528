/** What the use cases know of a request whose caller waits for the answer. */
export const waitingCaller = { hasGone: () => false };

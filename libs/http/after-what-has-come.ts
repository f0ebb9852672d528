/** Does something when what has come by now is read. Node runs timers first: after a while in which the process stood still that is too early. */
export const afterWhatHasCome = (work: () => void): void => {
  setImmediate(() => setImmediate(work));
};

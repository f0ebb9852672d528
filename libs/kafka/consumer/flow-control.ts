const pauseAbove = 2_000;
const resumeBelow = 1_000;

/** What stops and restarts the flow of fetched messages. */
export interface PausableConsumer {
  pause(): void;
  resume(): void;
}

/** Closes a tap while too much is in hand. */
export interface FlowControl {
  adjust(size: number): void;
  /** Says again that the tap is closed, if it is: a new assignment opens it. */
  again(): void;
}

/** A gate that closes above 2,000 messages in hand and opens again below 1,000. */
export const createFlowControl = (tap: PausableConsumer): FlowControl => {
  let closed = false;
  return {
    adjust: (size) => {
      if (closed ? size >= resumeBelow : size <= pauseAbove) return;
      closed = !closed;
      if (closed) tap.pause();
      else tap.resume();
    },
    again: () => {
      if (closed) tap.pause();
    },
  };
};

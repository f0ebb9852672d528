const stallMs = 60_000;
const checkEveryMs = 10_000;

interface WatchdogOptions {
  /** Whether a broker accepts connections: an outage of Kafka is not a stall of this process. */
  readonly reachable: () => Promise<boolean>;
  readonly nowMs?: () => number;
}

/** Whether a poll loop makes progress. */
export interface LivenessWatchdog {
  /** To be called whenever the loop has done something. */
  noteActivity(): void;
  /** Whether the loop is paused on purpose. */
  setPaused(paused: boolean): void;
  /** False after a minute without activity, unless the loop was paused or Kafka unreachable. */
  readonly live: () => boolean;
  /** Counts an outage of Kafka as activity; called every ten seconds between `start` and `stop`. */
  check(): Promise<void>;
  start(): void;
  stop(): void;
}

/** Tells a poll loop that is stuck from one that waits for Kafka or is paused by flow control. */
export const createLivenessWatchdog = ({
  reachable,
  nowMs = () => performance.now(),
}: WatchdogOptions): LivenessWatchdog => {
  let lastActivityMs = nowMs();
  let paused = false;
  let timer: NodeJS.Timeout | undefined;
  const noteActivity = () => {
    lastActivityMs = nowMs();
  };
  const check = async (): Promise<void> => {
    if (nowMs() - lastActivityMs < checkEveryMs || (await reachable())) return;
    noteActivity();
  };
  return {
    noteActivity,
    check,
    setPaused: (value) => {
      paused = value;
      noteActivity();
    },
    live: () => paused || nowMs() - lastActivityMs < stallMs,
    start: () => {
      noteActivity();
      timer = setInterval(() => void check(), checkEveryMs).unref();
    },
    stop: () => {
      clearInterval(timer);
      paused = true;
    },
  };
};

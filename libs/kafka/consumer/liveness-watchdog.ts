const stallMs = 60_000;
const lookEveryMs = 10_000;

interface WatchdogOptions {
  /** Whether a broker takes connections: a log that is away is not our stall. */
  readonly reachable: () => Promise<boolean>;
  readonly nowMs?: () => number;
}

/** Whether a poll loop goes on. */
export interface LivenessWatchdog {
  /** The loop has done something. */
  beat(): void;
  /** The loop rests on purpose, or no more. */
  rest(is: boolean): void;
  /** False when nothing was done for a minute, though nobody asked for rest and the log was there. */
  readonly live: () => boolean;
  /** Looks whether silence is the log's fault; done every ten seconds between `start` and `stop`. */
  look(): Promise<void>;
  start(): void;
  stop(): void;
}

/** Tells a poll loop that is stuck from one that waits for the log, or that rests because too much is in hand. */
export const createLivenessWatchdog = ({
  reachable,
  nowMs = () => performance.now(),
}: WatchdogOptions): LivenessWatchdog => {
  let lastMs = nowMs();
  let resting = false;
  let timer: NodeJS.Timeout | undefined;
  const beat = () => {
    lastMs = nowMs();
  };
  const look = async (): Promise<void> => {
    if (nowMs() - lastMs < lookEveryMs || (await reachable())) return;
    beat();
  };
  return {
    beat,
    look,
    rest: (is) => {
      resting = is;
      beat();
    },
    live: () => resting || nowMs() - lastMs < stallMs,
    start: () => {
      beat();
      timer = setInterval(() => void look(), lookEveryMs).unref();
    },
    stop: () => {
      clearInterval(timer);
      resting = true;
    },
  };
};

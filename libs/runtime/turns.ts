import { setImmediate, setTimeout } from 'node:timers/promises';

/**
 * So long are requests gathered that come closely one after another: a turn costs all processes together about 10 ms of CPU, however many
 * share it.
 */
const turnMs = 32;
/** As many in one turn make the next ones wait for each other. */
const manyInTurn = 2;
/** What comes faster than so often a ms is a rush. */
const rushPerMs = 0.25;
/** How long a turn of a rush is of those who gather briefly, in ms. */
const briefMs = 16;

/** The end of a connection is read one turn of the event loop after its last request: from then on `hasGone` knows of it. */
const afterNextPoll = async (): Promise<void> => {
  await setImmediate();
  await setImmediate();
};

/** A monotonic clock in ms, and a timer. */
interface Time {
  now(): number;
  pause(ms: number): Promise<unknown>;
}

const realTime: Time = { now: () => performance.now(), pause: setTimeout };

interface TurnsOptions {
  readonly time?: Time;
  /** Whether turns are shorter in a rush, of which each has enough even so. */
  readonly briefly?: boolean;
}

/** What is known of the current turn and the one before it. */
interface Turn {
  readonly beganMs: number;
  readonly lengthMs: number;
  readonly isCrowded: boolean;
  count: number;
}

/**
 * When requests begin, or what came of them is published: few at once, many together, so that they share commands to Redis, messages and
 * deliveries all the way (D-56). Who comes after 64 ms without one does not wait.
 */
export const createTurns = ({
  time = realTime,
  briefly = false,
}: TurnsOptions = {}): (() => Promise<void>) => {
  const { now, pause } = time;
  let turn: Turn = { beganMs: -Infinity, lengthMs: turnMs, isCrowded: false, count: 0 };
  let gathered: Promise<void> | undefined;
  const nextTurn = ({ beganMs, lengthMs, count }: Turn, nowMs: number): Turn => {
    const isCrowded = nowMs - beganMs < 2 * lengthMs && count >= manyInTurn;
    const isRush = isCrowded && count >= rushPerMs * lengthMs;
    return { beganMs: nowMs, lengthMs: isRush && briefly ? briefMs : turnMs, isCrowded, count: 0 };
  };
  const arrive = (nowMs: number): Turn => {
    const sinceMs = nowMs - turn.beganMs;
    if (sinceMs >= turn.lengthMs) turn = nextTurn(turn, nowMs);
    turn.count += 1;
    return turn;
  };
  const gather = async (ms: number): Promise<void> => {
    await pause(ms);
    gathered = undefined;
    await afterNextPoll();
  };
  return () => {
    const nowMs = now();
    const { isCrowded, beganMs, lengthMs } = arrive(nowMs);
    if (gathered) return gathered;
    if (!isCrowded) return afterNextPoll();
    return (gathered = gather(beganMs + lengthMs - nowMs));
  };
};

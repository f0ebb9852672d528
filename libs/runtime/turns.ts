import { afterNextPoll } from './after-next-poll.ts';
import { realTime } from './time.ts';
import type { Time } from './time.ts';

/**
 * So long are requests gathered that come closely one after another, in ms: a turn costs all processes together CPU however many share it,
 * which `busy` ones have not (admission.ts). `many` in one turn make the next ones wait for each other: three of the `far` ones, so that these,
 * too, come less than 16 ms after each other. `far`: what game servers ask, which goes on through several services, so that a turn costs most.
 * `brief`: those that share less. `long`: those that come by few and are in no hurry.
 */
export const turnLengths = {
  usual: { calm: 16, busy: 32, many: 2 },
  far: { calm: 32, busy: 32, many: 3 },
  brief: { calm: 8, busy: 16, many: 2 },
  long: { calm: 128, busy: 128, many: 2 },
} as const;
export type TurnLength = keyof typeof turnLengths;

/** What is known of the current turn and the one before it. */
interface Turn {
  readonly beganMs: number;
  readonly lengthMs: number;
  readonly isCrowded: boolean;
  count: number;
}

/**
 * When requests begin: few at once, many together, so that they share commands to Redis, messages and deliveries all the way (D-56). Who
 * comes after two turns without one does not wait. `lengthMs`: how long a turn is that begins now; `many` in it make the next ones wait.
 */
const createTurns = (lengthMs: () => number, many: number, { now, pause }: Time): (() => Promise<void>) => {
  let turn: Turn = { beganMs: -Infinity, lengthMs: 0, isCrowded: false, count: 0 };
  let gathered: Promise<void> | undefined;
  const arrive = (nowMs: number): Turn => {
    const sinceMs = nowMs - turn.beganMs;
    if (sinceMs >= turn.lengthMs) {
      const isCrowded = sinceMs < 2 * turn.lengthMs && turn.count >= many;
      turn = { beganMs: nowMs, lengthMs: lengthMs(), isCrowded, count: 0 };
    }
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
    const began = arrive(nowMs);
    if (gathered) return gathered;
    if (!began.isCrowded) return afterNextPoll();
    return (gathered = gather(began.beganMs + began.lengthMs - nowMs));
  };
};

/** Turns of each length. */
export type Turns = Readonly<Record<TurnLength, () => Promise<void>>>;

/** Turns of a process that is busy or not. */
export const turnsWhile = (isBusy: () => boolean, time = realTime): Turns => {
  const of = (length: TurnLength) => {
    const { calm, busy, many } = turnLengths[length];
    return createTurns(() => (isBusy() ? busy : calm), many, time);
  };
  return { usual: of('usual'), far: of('far'), brief: of('brief'), long: of('long') };
};

import { AgeingMap } from '#libs/kernel/ageing-map.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import type { Ports, RetriedCall } from '../ports.ts';

/** Beyond so many calls a redelivery may begin another chain of retries, which costs calls to the partner and nothing else (D-27). */
const maxCalls = 100_000;

/** `doneAtMs`: when the call had its outcome, in ms since the epoch. */
interface Chain {
  readonly firstFailedAtMs: number;
  readonly nextAttempt: number;
  readonly doneAtMs?: number;
}

/** The chains of retries that this process knows: the oldest of each call. A call that failed again after its outcome begins a new one. */
export const activeRetries = (clock: Clock): Ports['retries'] => {
  const chains = new AgeingMap<string, Chain>({ most: maxCalls });
  const nameOf = ({ operation, gameSessionId, again = false }: RetriedCall) =>
    `${operation} ${gameSessionId}${again ? ' again' : ''}`;
  return {
    goesOn: (call) => {
      const known = chains.get(nameOf(call));
      if (known === undefined) return true;
      // Nothing reminds of a stop that is made again, and whoever scheduled it may have a slower clock: once too often costs one call.
      if (known.doneAtMs !== undefined) return call.again === true || call.firstFailedAtMs > known.doneAtMs;
      if (call.firstFailedAtMs !== known.firstFailedAtMs) return call.firstFailedAtMs < known.firstFailedAtMs;
      return call.attempt >= known.nextAttempt;
    },
    scheduled: (call) =>
      chains.set(nameOf(call), { firstFailedAtMs: call.firstFailedAtMs, nextAttempt: call.attempt + 1 }),
    done: (call) =>
      chains.set(nameOf(call), { firstFailedAtMs: call.firstFailedAtMs, nextAttempt: 1, doneAtMs: clock() }),
  };
};

import type { Ports, RetriedCall } from '../ports.ts';

/** Beyond so many calls a session may have two chains of retries, which costs calls to the partner and nothing else. */
const maxCalls = 100_000;

interface Chain {
  readonly firstFailedAtMs: number;
  readonly nextAttempt: number;
}

/** The chains of retries that this process knows, the oldest of each call; a call that has its outcome stays known, as over. */
export const activeRetries = (): Ports['retries'] => {
  const chains = new Map<string, Chain>();
  const nameOf = ({ operation, gameSessionId }: RetriedCall) => `${operation} ${gameSessionId}`;
  const note = (call: RetriedCall, chain: Chain): void => {
    chains.delete(nameOf(call));
    chains.set(nameOf(call), chain);
    const [oldest] = chains.keys();
    if (chains.size > maxCalls && oldest !== undefined) chains.delete(oldest);
  };
  return {
    goesOn: (call) => {
      const known = chains.get(nameOf(call));
      if (known === undefined || call.firstFailedAtMs < known.firstFailedAtMs) return true;
      return call.firstFailedAtMs === known.firstFailedAtMs && call.attempt >= known.nextAttempt;
    },
    scheduled: (call) => note(call, { firstFailedAtMs: call.firstFailedAtMs, nextAttempt: call.attempt + 1 }),
    done: (call) => note(call, { firstFailedAtMs: -Infinity, nextAttempt: Infinity }),
  };
};

import type { Ports, RetriedCall } from '../ports.ts';

/** Beyond so many calls a session may have two chains of retries, which costs calls to the partner and nothing else. */
const maxCalls = 100_000;

/** The calls that this process retries, each by the instant at which its oldest chain of retries began. */
export const activeRetries = (): Ports['retries'] => {
  const oldest = new Map<string, number>();
  const nameOf = ({ operation, gameSessionId }: RetriedCall) => `${operation} ${gameSessionId}`;
  return {
    isOldest: (call) => {
      const known = oldest.get(nameOf(call)) ?? Infinity;
      if (call.firstFailedAtMs > known) return false;
      if (oldest.size < maxCalls) oldest.set(nameOf(call), call.firstFailedAtMs);
      return true;
    },
    done: (call) => void oldest.delete(nameOf(call)),
  };
};

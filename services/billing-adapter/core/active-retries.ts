/** A call to the partner that goes from try to try on the log: of which session, and since when. */
export interface RetriedCall {
  readonly operation: 'start' | 'stop';
  readonly gameSessionId: string;
  readonly firstFailedAtMs: number;
}

/** So many lines are remembered; beyond that a session may have two, which costs calls and nothing else. */
const mostLines = 100_000;

/**
 * Which of a session's lines goes on: the oldest. `ending` is said again until the partner has confirmed, and each hearing that failed
 * began a line; the session's older one is on the log already.
 */
export const createActiveRetries = () => {
  const oldest = new Map<string, number>();
  const nameOf = ({ operation, gameSessionId }: RetriedCall) => `${operation} ${gameSessionId}`;
  return {
    goesOn: (line: RetriedCall): boolean => {
      const known = oldest.get(nameOf(line)) ?? Infinity;
      if (line.firstFailedAtMs > known) return false;
      if (oldest.size < mostLines) oldest.set(nameOf(line), line.firstFailedAtMs);
      return true;
    },
    /** The call has an outcome. */
    done: (line: RetriedCall): void => {
      oldest.delete(nameOf(line));
    },
  };
};

/** The lines of one consumer. */
export type ActiveRetries = ReturnType<typeof createActiveRetries>;

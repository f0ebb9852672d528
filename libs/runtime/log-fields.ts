import { snakeKey, toWire } from '#libs/contracts/wire.ts';

/** The only fields that a log line may carry. Keys, tokens, signatures and addresses have no field here (I10). */
// prettier-ignore
export const loggedFields = [
  'addressClass', 'attempt', 'cafeId', 'code', 'count', 'day', 'durationMs', 'endReason', 'error', 'event', 'eventId', 'from', 'gameId',
  'gameSessionId', 'generation', 'group', 'keyId', 'kind', 'lastUsedAt', 'launcherSessionId', 'limit', 'method', 'name', 'offset', 'operation', 'operator', 'outcome', 'part',
  'partition', 'path', 'pauseMs', 'pcId', 'playDurationSec', 'port', 'reason', 'requestId', 'route', 'runId', 'script', 'signal', 'state',
  'statement', 'status', 'store', 'to', 'topic', 'version', 'what',
] as const;

/** The fields of a log line, beside its message. */
export type LogFields = Readonly<Partial<Record<(typeof loggedFields)[number], unknown>>>;

/** How each field is written. */
const writtenAs: ReadonlyMap<string, string> = new Map(loggedFields.map((name) => [name, snakeKey(name)]));

const describeError = (error: unknown): unknown =>
  error instanceof Error
    ? {
        type: error.name,
        message: error.message,
        stack: error.stack,
        code: (error as NodeJS.ErrnoException).code,
      }
    : String(error);

/** The fields as they are written: only those of the list, in snake_case. Of an error only type, message, stack and code: drivers attach more. */
export const writtenFields = (fields: LogFields): Record<string, unknown> => {
  const written: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const as = writtenAs.get(name);
    if (as === undefined || value === undefined) continue;
    written[as] = name === 'error' ? describeError(value) : toWire(value);
  }
  return written;
};

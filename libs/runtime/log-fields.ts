import { toWire } from '#libs/contracts/wire.ts';

/** The only fields that a log line may carry; a key, token, signature or address has no name here (promise I10). */
// prettier-ignore
export const loggedFields = [
  'attempt', 'cafeId', 'code', 'count', 'durationMs', 'endReason', 'error', 'event', 'eventId', 'from', 'gameId',
  'gameSessionId', 'generation', 'group', 'kind', 'limit', 'method', 'name', 'offset', 'operation', 'outcome', 'part',
  'partition', 'path', 'pauseMs', 'pcId', 'port', 'reason', 'requestId', 'route', 'runId', 'script', 'signal', 'state',
  'statement', 'status', 'store', 'to', 'topic', 'version', 'what',
] as const;

/** What may be said beside a log message. */
export type LogFields = Readonly<Partial<Record<(typeof loggedFields)[number], unknown>>>;

const allowed: ReadonlySet<string> = new Set(loggedFields);

const describeError = (error: unknown): unknown =>
  error instanceof Error
    ? {
        type: error.name,
        message: error.message,
        stack: error.stack,
        code: (error as NodeJS.ErrnoException).code,
      }
    : String(error);

/** The fields as they are written: those of the list only, in snake_case, errors without the properties that drivers hang on them. */
export const writtenFields = (fields: LogFields): Record<string, unknown> =>
  toWire(
    Object.fromEntries(
      Object.entries(fields)
        .filter(([name, value]) => allowed.has(name) && value !== undefined)
        .map(([name, value]) => [name, name === 'error' ? describeError(value) : value]),
    ),
  ) as Record<string, unknown>;

import { trace } from '@opentelemetry/api';
import { pino } from 'pino';
import { currentRequestId } from './request-context.ts';
import { writtenFields } from './log-fields.ts';
import type { LogFields } from './log-fields.ts';

type Write = (fields: LogFields, message: string) => void;

/** Writes one JSON line for each call, with the ids of the active trace and request. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

/** The lowest level that is written. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

const correlationFields = (): Record<string, string> => {
  const span = trace.getActiveSpan()?.spanContext();
  const requestId = currentRequestId();
  const ids = span ? { trace_id: span.traceId, span_id: span.spanId } : {};
  return requestId ? { ...ids, request_id: requestId } : ids;
};

/** The log of one process. `write` receives finished lines; by default they are written to stdout synchronously. */
export const createLog = (
  { service, instance, level }: { service: string; instance: string; level: LogLevel },
  write?: (line: string) => void,
): Log => {
  const options = {
    level,
    base: { service, instance },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: correlationFields,
  };
  const lines = write ? pino(options, { write }) : pino(options, pino.destination({ fd: 1, sync: true }));
  const writer =
    (name: LogLevel): Write =>
    (fields, message) => {
      if (lines.isLevelEnabled(name)) lines[name](writtenFields(fields), message);
    };
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
};

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
  const fields: Record<string, string> = {};
  const span = trace.getActiveSpan()?.spanContext();
  if (span) [fields['trace_id'], fields['span_id']] = [span.traceId, span.spanId];
  const requestId = currentRequestId();
  if (requestId) fields['request_id'] = requestId;
  return fields;
};

/** So many lines leave together at most. */
const mostLines = 100;

/** Writes what one turn of the event loop brings to stdout in one piece: a write costs as much as making a line. A process that exits writes it before; one that is killed loses it. */
const createStdout = () => {
  const destination = pino.destination({ fd: 1, sync: true });
  let gathered: string[] = [];
  const flush = (): void => {
    if (gathered.length === 0) return;
    const lines = gathered.join('');
    gathered = [];
    destination.write(lines);
  };
  process.on('exit', flush);
  return {
    flush,
    write: (line: string): void => {
      if (gathered.push(line) === 1) setImmediate(flush);
      else if (gathered.length === mostLines) flush();
    },
  };
};

/** All logs of a process share it, so that their lines stay in order. */
let stdout: ReturnType<typeof createStdout> | undefined;

/** The log of one process. `write` receives finished lines; by default they go to stdout: warnings and errors at once, others at the end of a turn of the event loop. */
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
  const to = write ? { write, flush: () => undefined } : (stdout ??= createStdout());
  const lines = pino(options, to);
  const writer =
    (name: LogLevel): Write =>
    (fields, message) => {
      if (lines.isLevelEnabled(name)) lines[name](writtenFields(fields), message);
    };
  const atOnce = (name: LogLevel): Write => {
    const write = writer(name);
    return (fields, message) => {
      write(fields, message);
      to.flush();
    };
  };
  return { debug: writer('debug'), info: writer('info'), warn: atOnce('warn'), error: atOnce('error') };
};

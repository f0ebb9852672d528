import type { Log } from './log.ts';
import type { LogFields } from './log-fields.ts';
import { securityEvents } from './metric-catalog/security-events.ts';
import type { SecurityEventName } from './metric-catalog/security-events.ts';
import type { Metrics } from './metrics.ts';
import type { Component } from './service.ts';

const windowMs = 10_000;
/** Of more different events of one name at a time only kind, reason and limit are told apart. */
const mostAtATime = 100;

/** What an investigation needs to know of an event: whose key, why, from where, and what it concerns. */
export type SecurityFields = Pick<
  LogFields,
  | 'addressClass'
  | 'cafeId'
  | 'day'
  | 'from'
  | 'gameId'
  | 'gameSessionId'
  | 'keyId'
  | 'kind'
  | 'lastUsedAt'
  | 'limit'
  | 'operation'
  | 'operator'
  | 'outcome'
  | 'pcId'
  | 'reason'
  | 'to'
  | 'topic'
>;

/** Notes a security event: counts it, and writes it to the log. */
export type NoteSecurity = (event: SecurityEventName, fields: SecurityFields) => void;

interface Pending {
  readonly write: () => void;
  readonly timer: NodeJS.Timeout;
  count: number;
}

interface SecurityEventsOptions {
  readonly log: Log;
  /** Absent in commands, which nobody scrapes. */
  readonly metrics?: Metrics;
  /** How long equal events become one line, in ms. */
  readonly windowMs?: number;
}

/** The security events of a process. On stop what is still counted together is written. */
export interface SecurityEvents extends Component {
  readonly note: NoteSecurity;
}

type WriteEvent = (event: SecurityEventName, fields: LogFields) => void;

/** Holds events back for a window, so that equal ones are written once with their count. */
const createFolding = (write: WriteEvent, foldedForMs: number) => {
  const pending = new Map<string, Pending>();
  const details = new Map<SecurityEventName, number>();
  const change = (event: SecurityEventName, by: number) => details.set(event, (details.get(event) ?? 0) + by);
  const begin = (name: string, event: SecurityEventName, fields: SecurityFields): void => {
    const begun: Pending = {
      count: 1,
      write: () => {
        clearTimeout(begun.timer);
        pending.delete(name);
        change(event, -1);
        write(event, { ...fields, count: begun.count });
      },
      // Set in the first one's request, whose ids the line has.
      timer: setTimeout(() => begun.write(), foldedForMs).unref(),
    };
    pending.set(name, begun);
    change(event, 1);
  };
  return {
    add: (event: SecurityEventName, fields: SecurityFields): void => {
      const { kind, reason, limit } = fields;
      const whole = JSON.stringify([event, fields]);
      const isTold = pending.has(whole) || (details.get(event) ?? 0) < mostAtATime;
      const told = isTold ? fields : { kind, reason, limit };
      const name = isTold ? whole : JSON.stringify([event, told]);
      const same = pending.get(name);
      if (same === undefined) begin(name, event, told);
      else same.count += 1;
    },
    writeAll: () => {
      for (const each of [...pending.values()]) each.write();
    },
  };
};

/**
 * D-47: each event is counted; equal ones within a window are one line with how many they were, with the ids of the request and the trace
 * of the first one. However many different events an attacker causes, so many lines at most are written in a window.
 */
export const createSecurityEvents = (options: SecurityEventsOptions): SecurityEvents => {
  const counter = options.metrics?.counter('gsb_security_events_total');
  const write: WriteEvent = (event, fields) => {
    const { level, says } = securityEvents[event];
    options.log[level]({ event, ...fields }, says);
  };
  const folding = createFolding(write, options.windowMs ?? windowMs);
  return {
    name: 'security events',
    flushes: true,
    note: (event, fields) => {
      counter?.inc({ event });
      if ('isSingle' in securityEvents[event]) write(event, fields);
      else folding.add(event, fields);
    },
    start: async () => undefined,
    stop: async () => folding.writeAll(),
  };
};

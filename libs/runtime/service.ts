import { startOpsServer } from './ops-server.ts';
import type { OpsServer } from './ops-server.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { onSignals } from './signals.ts';
import { stopParts } from './stop-parts.ts';
import type { Drain } from './stop-parts.ts';

const startReminderMs = 10_000;
const defaultDrain = { inFlightMs: 20_000, flushMs: 5_000 };

/** Reports an unrecoverable error: the service stops and the process exits with 1. */
export type Fatal = (error: unknown) => void;

/** A part of a service that is started and stopped. `stop` is also called after a failed `start`. */
export interface Component {
  readonly name: string;
  start(fatal: Fatal): Promise<void>;
  stop(): Promise<void>;
  /** Whether it can take traffic, judged by local facts only. */
  ready?(): boolean;
  /** False when only a restart helps; never because a dependency is unavailable. */
  live?(): boolean;
  /** Whether what it still has to send is sent at its stop: then it has the time for that, and not that for work in flight. */
  readonly flushes?: boolean;
}

/** A service: its components, in the order in which they start. */
export interface ServiceOptions {
  readonly name: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly ops: { readonly host: string; readonly port: number };
  readonly parts: readonly Component[];
  /** How long the components may take to stop, all together. */
  readonly drain?: Drain;
  /** How often a component that is still starting is logged, in milliseconds. */
  readonly reminderMs?: number;
  /** Exits the process; tests pass their own. */
  readonly exit?: (code: number) => void;
}

/** A service whose components have all started. */
export interface RunningService {
  readonly opsPort: number;
  /** Stops the components in reverse order, within the time of the drain; does not exit the process. */
  stop(): Promise<void>;
}

interface Lifecycle {
  phase: 'starting' | 'running' | 'stopping';
  readonly startAttempted: Component[];
  readonly started: Set<Component>;
}

/** Waits however long it takes, since a store may be away: the startup probe is the bound. Logs what it waits for now and then. */
const startPart = async (part: Component, fatal: Fatal, { log, reminderMs }: ServiceOptions) => {
  const remind = () => log.warn({ part: part.name }, 'still starting');
  const reminder = setInterval(remind, reminderMs ?? startReminderMs);
  try {
    await part.start(fatal);
  } finally {
    clearInterval(reminder);
  }
};

const startParts = async (options: ServiceOptions, lifecycle: Lifecycle, fatal: Fatal): Promise<void> => {
  for (const part of options.parts) {
    if (lifecycle.phase === 'stopping') return;
    lifecycle.startAttempted.push(part);
    await startPart(part, fatal, options);
    lifecycle.started.add(part);
    options.log.debug({ part: part.name }, 'started');
  }
};

const openOps = ({ ops, metrics, parts }: ServiceOptions, lifecycle: Lifecycle): Promise<OpsServer> => {
  const names = (waiting: (part: Component) => boolean): string[] =>
    parts.filter(waiting).map((part) => part.name);
  const startup = () => names((part) => !lifecycle.started.has(part));
  const ready = () =>
    lifecycle.phase === 'stopping'
      ? ['stopping']
      : names((part) => !lifecycle.started.has(part) || part.ready?.() === false);
  const live = () => names((part) => part.live?.() === false);
  return startOpsServer({ ...ops, metrics, probes: { startup, ready, live } });
};

const once = (stop: () => Promise<void>): (() => Promise<void>) => {
  let stopped: Promise<void> | undefined;
  return () => (stopped ??= stop());
};

/**
 * Starts the ops port, then the components one after another. SIGTERM and SIGINT stop them in reverse order and exit the process with 0,
 * a fatal error with 1. Rejects when a component does not start, after stopping those that were started before.
 */
export const runService = async (options: ServiceOptions): Promise<RunningService> => {
  const { name, log, exit = process.exit } = options;
  const lifecycle: Lifecycle = { phase: 'starting', startAttempted: [], started: new Set() };
  const ops = await openOps(options, lifecycle);
  log.info({ what: 'ops', port: ops.port }, 'listening');
  const stop = once(async () => {
    lifecycle.phase = 'stopping';
    await stopParts(lifecycle.startAttempted.splice(0).reverse(), options.drain ?? defaultDrain, log);
    ops.close();
    forgetSignals();
    log.info({ name }, 'stopped');
  });
  const fatal: Fatal = (error) => {
    log.error({ error }, 'the service cannot go on');
    void stop().then(() => exit(1));
  };
  const forgetSignals = onSignals((signal) => {
    log.info({ signal }, 'stopping');
    void stop().then(() => exit(0));
  }, fatal);
  try {
    await startParts(options, lifecycle, fatal);
  } catch (error) {
    await stop();
    throw error;
  }
  if (lifecycle.phase === 'starting') {
    lifecycle.phase = 'running';
    log.info({ name }, 'running');
  }
  return { opsPort: ops.port, stop };
};

import { startOpsServer } from './ops-server.ts';
import type { OpsServer } from './ops-server.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { onSignals } from './signals.ts';
import { withDeadline } from './wait.ts';

const startDeadlineMs = 60_000;
const defaultStopDeadlineMs = 8_000;

/** Tells the service that it cannot go on: it stops and the process ends with 1. */
export type Fatal = (error: unknown) => void;

/** Something with a beginning and an end. `stop` is also called after a `start` that failed; `ready` is about local facts only. */
export interface Component {
  readonly name: string;
  start(fatal: Fatal): Promise<void>;
  stop(): Promise<void>;
  ready?(): boolean;
  /** False when only a restart helps; never because something else is away. */
  live?(): boolean;
  /** What an operator may ask for on the ops port, by path. */
  readonly actions?: Readonly<Record<string, () => Promise<void>>>;
}

/** A service is its parts in the order in which they start. */
export interface ServiceOptions {
  readonly name: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly ops: { readonly host: string; readonly port: number };
  readonly parts: readonly Component[];
  /** How long one part may take to stop, in milliseconds. */
  readonly stopDeadlineMs?: number;
  /** Ends the process; a test passes its own. */
  readonly exit?: (code: number) => void;
}

/** A service whose parts have all started. */
export interface RunningService {
  readonly opsPort: number;
  /** Stops the parts in reverse order, each within its deadline; the process is left to whoever calls. */
  stop(): Promise<void>;
}

interface Lifecycle {
  phase: 'starting' | 'running' | 'stopping';
  readonly begun: Component[];
  readonly started: Set<Component>;
}

const tooLate = (part: Component, verb: string) => () => new Error(`${part.name} did not ${verb} in time`);

const startParts = async ({ parts, log }: ServiceOptions, life: Lifecycle, fatal: Fatal): Promise<void> => {
  for (const part of parts) {
    if (life.phase === 'stopping') return;
    life.begun.push(part);
    await withDeadline(part.start(fatal), startDeadlineMs, tooLate(part, 'start'));
    life.started.add(part);
    log.debug({ part: part.name }, 'started');
  }
};

const stopParts = async (
  { log, stopDeadlineMs = defaultStopDeadlineMs }: ServiceOptions,
  life: Lifecycle,
): Promise<void> => {
  for (const part of life.begun.splice(0).reverse()) {
    try {
      await withDeadline(part.stop(), stopDeadlineMs, tooLate(part, 'stop'));
    } catch (error) {
      log.error({ error, part: part.name }, 'a part did not stop well');
    }
  }
};

const openOps = ({ ops, metrics, parts }: ServiceOptions, life: Lifecycle): Promise<OpsServer> => {
  const names = (waiting: (part: Component) => boolean): string[] =>
    parts.filter(waiting).map((part) => part.name);
  const startup = () => names((part) => !life.started.has(part));
  const ready = () =>
    life.phase === 'stopping'
      ? ['stopping']
      : names((part) => !life.started.has(part) || part.ready?.() === false);
  const live = () => names((part) => part.live?.() === false);
  const actions = Object.assign({}, ...parts.map((part) => part.actions ?? {})) as NonNullable<
    Component['actions']
  >;
  return startOpsServer({ ...ops, metrics, actions, probes: { startup, ready, live } });
};

const once = (stop: () => Promise<void>): (() => Promise<void>) => {
  let stopped: Promise<void> | undefined;
  return () => (stopped ??= stop());
};

/**
 * Starts the ops port, then the parts one after another; SIGTERM and SIGINT stop them in reverse order and end the process with 0, a
 * fatal error with 1. Rejects when a part does not start: what had begun is stopped by then.
 */
export const runService = async (options: ServiceOptions): Promise<RunningService> => {
  const { name, log, exit = process.exit } = options;
  const life: Lifecycle = { phase: 'starting', begun: [], started: new Set() };
  const ops = await openOps(options, life);
  log.info({ what: 'ops', port: ops.port }, 'listening');
  const stop = once(async () => {
    life.phase = 'stopping';
    await stopParts(options, life);
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
    await startParts(options, life, fatal);
  } catch (error) {
    await stop();
    throw error;
  }
  if (life.phase === 'starting') {
    life.phase = 'running';
    log.info({ name }, 'running');
  }
  return { opsPort: ops.port, stop };
};

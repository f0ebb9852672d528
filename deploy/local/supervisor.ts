import { readFileSync } from 'node:fs';
import type { Print } from './progress.ts';
import { until } from './progress.ts';
import type { Child, Run } from './run.ts';

const firstPauseMs = 100;
const longestPauseMs = 5_000;
const stableAfterMs = 10_000;
const shownLines = 8;

/** A service to keep alive: its entry, its environment, and where it says that it is ready. */
export interface Program {
  readonly service: string;
  readonly entry: string;
  readonly env: Readonly<Record<string, string>>;
  readonly readyUrl: string;
}

/** A service that is started again when it dies. */
export interface Supervised {
  readonly service: string;
  pid(): number;
  ready(): Promise<void>;
  /** Sends a signal; whatever dies of it comes back. */
  kill(signal: NodeJS.Signals): void;
  /** Stops it until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

interface SupervisorOptions {
  readonly run: Run;
  readonly print: Print;
  /** Told whenever a pid changes. */
  readonly changed: () => void;
}

const lastLines = (log: string): string => {
  try {
    return readFileSync(log, 'utf8').trim().split('\n').slice(-shownLines).join('\n');
  } catch {
    return '';
  }
};

const isReady = async (url: string): Promise<boolean> =>
  (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok;

const flags = ['--disable-warning=ExperimentalWarning', '--disable-warning=TimeoutNegativeWarning'];

/** Starts a service and keeps it alive, with a growing pause between starts; each start after the first is said. */
export const supervise = (program: Program, { run, print, changed }: SupervisorOptions): Supervised => {
  const { service, entry, env, readyUrl } = program;
  const log = run.logOf(service);
  let child: Child | undefined;
  let wanted = true;
  let pauseMs = firstPauseMs;
  const spawn = () => {
    const startedAt = performance.now();
    const environment = { PATH: process.env['PATH'], KAFKAJS_NO_PARTITIONER_WARNING: '1', ...env };
    const started = run.start({
      name: service,
      command: process.execPath,
      args: [...flags, entry],
      env: environment,
      log,
      wave: 'service',
    });
    child = started;
    changed();
    void started.exited.then((code) => {
      if (!wanted || run.stopping() || child !== started) return;
      if (performance.now() - startedAt > stableAfterMs) pauseMs = firstPauseMs;
      print(
        `! ${service} ended (${code === null ? 'killed' : `exit code ${code}`}); starting it again in ${pauseMs / 1000} s`,
      );
      setTimeout(again, pauseMs);
      pauseMs = Math.min(pauseMs * 3, longestPauseMs);
    });
  };
  const again = () => {
    if (!wanted || run.stopping()) return;
    spawn();
    ready().then(
      () => print(`✓ ${service} is back (pid ${child?.pid})`),
      () => undefined,
    );
  };
  const ready = async () => {
    try {
      await until(`${service} ready`, async () => run.stopping() || (await isReady(readyUrl)));
    } catch (error) {
      throw new Error(`${service} did not become ready. Its last words (${log}):\n${lastLines(log)}`, {
        cause: error,
      });
    }
  };
  spawn();
  return {
    service,
    pid: () => child?.pid ?? -1,
    ready,
    kill: (signal) => child?.kill(signal),
    stop: async () => {
      wanted = false;
      await child?.stop();
    },
    start: async () => {
      wanted = true;
      spawn();
      await ready();
    },
  };
};

import { compiledFolder, serviceFlags } from './compile-services.ts';
import { podEnvironment } from './pod-flags.ts';
import type { Print } from './progress.ts';
import { lastLines, until } from './progress.ts';
import type { Child, Command, Run } from './run.ts';

const firstPauseMs = 100;
const longestPauseMs = 5_000;
const stableAfterMs = 10_000;
/** Longer than a service waits for its consumer group, which it ends with a sentence of its own. */
const readyDeadlineMs = 60_000;

/** A service to keep alive: its entry file, its environment, and the URL that answers 200 once it is ready. */
export interface Program {
  readonly service: string;
  /** The name of this replica, where a service has several; the service's own by default. */
  readonly replica?: string;
  readonly entry: string;
  readonly env: Readonly<Record<string, string>>;
  readonly readyUrl: string;
  /** Flags of Node that count instead of a pod's. */
  readonly flags?: readonly string[];
}

/** A service that is started again when it dies. */
export interface Supervised {
  readonly service: string;
  /** The service's name, or the replica's. */
  readonly name: string;
  /** Where its health and metrics are. */
  readonly ops: string;
  pid(): number;
  ready(): Promise<void>;
  /** Sends a signal; a process that dies of it is started again. */
  kill(signal: NodeJS.Signals): void;
  /** Stops it until `start`. */
  stop(): Promise<void>;
  /** `as`: what is added to its environment, and another entry file, until it is started with something else. */
  start(as?: StartedAs): Promise<void>;
}

/** In what a start differs from the program that is kept alive. */
export type StartedAs = Partial<Pick<Program, 'env' | 'entry'>>;

interface SupervisorOptions {
  readonly run: Run;
  readonly print: Print;
  /** Called whenever a pid changes. */
  readonly changed: () => void;
}

interface Controlled {
  readonly want: (is: boolean) => void;
  readonly spawn: (as?: StartedAs) => void;
  readonly ready: () => Promise<void>;
  readonly child: () => Child | undefined;
}

const controls = ({
  want,
  spawn,
  ready,
  child,
}: Controlled): Pick<Supervised, 'kill' | 'stop' | 'start'> => ({
  kill: (signal) => child()?.kill(signal),
  stop: async () => {
    want(false);
    await child()?.stop();
  },
  start: async (as = {}) => {
    want(true);
    spawn(as);
    await ready();
  },
});

/** Rejects with what the service says it waits for. */
const isReady = async (url: string): Promise<boolean> => {
  const answer = await fetch(url, { signal: AbortSignal.timeout(1_000) });
  if (!answer.ok) throw new Error(await answer.text());
  return true;
};

const becomeReady = async (service: string, url: string, run: Run): Promise<void> => {
  try {
    await until(`${service} ready`, async () => run.stopping() || (await isReady(url)), readyDeadlineMs);
  } catch (error) {
    const log = run.logOf(service);
    throw new Error(`${service} did not become ready. Its last words (${log}):\n${lastLines(log)}`, {
      cause: error,
    });
  }
};

/** The pause before the next start: it triples with every exit, up to 5 s, and is short again after a service has stayed up for 10 s. */
const createPauses = () => {
  let pauseMs = firstPauseMs;
  return (upForMs: number): number => {
    if (upForMs > stableAfterMs) pauseMs = firstPauseMs;
    const now = pauseMs;
    pauseMs = Math.min(pauseMs * 3, longestPauseMs);
    return now;
  };
};

const commandOf = ({ service, replica, entry, env, flags: own = [] }: Program, log: string): Command => {
  const common = {
    PATH: process.env['PATH'],
    KAFKAJS_NO_PARTITIONER_WARNING: '1',
    NODE_COMPILE_CACHE: compiledFolder,
    ...podEnvironment,
  };
  const args = [...serviceFlags, ...own, entry];
  const name = replica ?? service;
  return { name, command: process.execPath, args, env: { ...common, ...env }, log, wave: 'service' };
};

/** Starts a service and keeps it alive, with a growing pause between starts; each restart is printed. */
export const supervise = (program: Program, { run, print, changed }: SupervisorOptions): Supervised => {
  const { service, readyUrl, replica: name = service } = program;
  const pauseAfter = createPauses();
  let child: Child | undefined;
  let wanted = true;
  let last: StartedAs = {};
  const ready = () => becomeReady(name, readyUrl, run);
  const again = () => {
    if (!wanted || run.stopping()) return;
    spawn();
    const mine = child;
    ready().then(
      () => child === mine && print(`✓ ${name} is back (pid ${mine?.pid})`),
      () => undefined,
    );
  };
  const spawn = (as = last) => {
    last = as;
    const startedAt = performance.now();
    const now = { ...program, ...as, env: { ...program.env, ...as.env } };
    const started = (child = run.start(commandOf(now, run.logOf(name))));
    changed();
    void started.exited.then((code) => {
      if (!wanted || run.stopping() || child !== started) return;
      const pauseMs = pauseAfter(performance.now() - startedAt);
      const how = code === null ? 'killed' : `exit code ${code}`;
      print(`! ${name} ended (${how}); starting it again in ${pauseMs / 1000} s`);
      // Whoever starts it meanwhile has started it.
      setTimeout(() => child === started && again(), pauseMs);
    });
  };
  const want = (is: boolean) => (wanted = is);
  spawn();
  return {
    ...{ service, name, ready, ops: new URL(readyUrl).origin },
    pid: () => child?.pid ?? -1,
    ...controls({ want, spawn, ready, child: () => child }),
  };
};

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { boundLogs } from './logs.ts';
import type { Print } from './progress.ts';
import { removeFolder, removeLeftovers, writeRun } from './run-file.ts';
import type { RunFacts } from './run-file.ts';

const defaultStopTimeoutMs = 12_000;

/** A process that this run started. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  readonly exited: Promise<number | null>;
  /** Its stop signal, and SIGKILL after the timeout, in ms. */
  stop(timeoutMs?: number): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

/** What to start, where its output goes, and whether it stops with the services or after them, with the stores. */
export interface Command {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly log: string;
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly wave?: 'service' | 'store';
  /** What it takes for a request to stop; SIGTERM by default. */
  readonly stopSignal?: NodeJS.Signals;
  /** Killed at once when the run stops: a broker would wait for the others of its cluster, and its data goes anyway. */
  readonly isKilled?: boolean;
}

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.once('error', () => resolve(127));
  });

const within = (done: Promise<unknown>, ms: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, ms, false)));
  return Promise.race([done.then(() => true), late]).finally(() => clearTimeout(timer));
};

const asChild = (
  { name, stopSignal = 'SIGTERM' }: Command,
  child: ChildProcess,
  exited: Promise<number | null>,
): Child => ({
  name,
  pid: child.pid ?? -1,
  exited,
  kill: (signal) => void child.kill(signal),
  stop: async (timeoutMs = defaultStopTimeoutMs) => {
    child.kill(stopSignal);
    // A process that was stopped by a signal hears nothing until it goes on.
    child.kill('SIGCONT');
    if (await within(exited, timeoutMs)) return;
    child.kill('SIGKILL');
    await within(exited, 2_000);
  },
});

const spawned = ({ command, args, env, cwd, log, user }: Command): ChildProcess => {
  const output = openSync(log, 'a');
  const child = spawn(command, args, {
    stdio: ['ignore', output, output],
    detached: true,
    env: env ?? process.env,
    ...(cwd !== undefined && { cwd }),
    ...user,
  });
  closeSync(output);
  return child;
};

const killEach = (children: Iterable<Child>): void => {
  for (const child of children) child.kill('SIGKILL');
};

/** The processes of every run here: none of them outlives this one, however it ends; the next run removes what is left on disk. */
const living = new Set<Child>();
process.on('exit', () => killEach(living));

/** Starts a process and keeps it among the children for as long as it lives. */
const startAs = (command: Command, children: Map<Child, Command>, changed: () => unknown): Child => {
  const child = spawned(command);
  const handle = asChild(command, child, exitOf(child));
  children.set(handle, command);
  living.add(handle);
  changed();
  void handle.exited.then(() => {
    children.delete(handle);
    living.delete(handle);
    changed();
  });
  return handle;
};

/** Services before stores. */
const stopAll = async (children: ReadonlyMap<Child, Command>, timeoutMs?: number): Promise<void> => {
  for (const wave of ['service', 'store'] as const) {
    const now = [...children].filter(([, command]) => command.wave === wave);
    killEach(now.filter(([, { isKilled }]) => isKilled).map(([child]) => child));
    await Promise.all(now.map(([child]) => child.stop(timeoutMs)));
  }
};

/** A run that cannot be written down is stopped all the same. */
const writeOrTell = (dir: string, facts: RunFacts, print: Print): void => {
  try {
    writeRun(dir, facts);
  } catch (error) {
    print(`! run.json could not be written: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/** How a run ends: by `end`, once, whoever asks for it and however. */
const endings = (children: ReadonlyMap<Child, Command>, end: (timeoutMs?: number) => Promise<void>) => {
  let ending: Promise<void> | undefined;
  /** Stops everything once, however often it is called; resolves when all has ended. What still runs after the timeout (12 s) is killed. */
  const stop = (timeoutMs?: number): Promise<void> => (ending ??= end(timeoutMs));
  return {
    stop,
    /** As `stop`, where nothing of what is in flight or in the stores is needed: what is asked by SIGTERM otherwise is killed at once. */
    kill: (): Promise<void> => {
      const stopped = stop();
      killEach([...children].filter(([, { stopSignal }]) => !stopSignal).map(([child]) => child));
      return stopped;
    },
  };
};

/** Everything a run started: written down in `run.json` as it starts, stopped together, services before stores. */
export const createRun = (dir: string, print: Print = (line) => void process.stderr.write(`${line}\n`)) => {
  const logs = join(dir, 'logs');
  mkdirSync(logs, { recursive: true });
  const children = new Map<Child, Command>();
  const folders: string[] = [];
  const closings: (() => Promise<unknown>)[] = [];
  let stopping = false;
  const write = () => writeOrTell(dir, { stopping, children: [...children.keys()], folders }, print);
  const leaveLogs = boundLogs(logs);
  const end = async (timeoutMs?: number) => {
    stopping = true;
    write();
    await stopAll(children, timeoutMs);
    await Promise.all(closings.map((close) => close()));
    leaveLogs();
    removeLeftovers(dir);
    for (const folder of folders) removeFolder(folder);
  };
  write();
  return {
    dir,
    start: (command: Command): Child => {
      if (stopping) throw new Error('stopped');
      return startAs(command, children, () => stopping || write());
    },
    stopping: () => stopping,
    /** The processes that run now. */
    children: (): readonly Child[] => [...children.keys()],
    /** Called when all processes have ended: closes what this process itself serves. */
    whenStopped: (close: () => Promise<unknown>) => void closings.push(close),
    logOf: (name: string) => join(logs, `${name}.log`),
    /** A folder outside `dir` that is removed when the run stops; at once when it has stopped already. */
    ownFolder: (folder: string) => {
      if (stopping) removeFolder(folder);
      if (stopping) throw new Error('stopped');
      folders.push(folder);
      write();
    },
    ...endings(children, end),
  };
};

/** A run. */
export type Run = ReturnType<typeof createRun>;

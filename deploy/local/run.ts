import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { boundLogs } from './logs.ts';
import { removeFolder, removeLeftovers, writeRun } from './run-file.ts';

const usualPatienceMs = 12_000;

/** A process that this run started. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  readonly exited: Promise<number | null>;
  /** SIGTERM, and SIGKILL when that takes too long. */
  stop(patienceMs?: number): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

/** What to start, where its output goes, and in which wave it stops: services first, stores after. */
export interface Command {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly log: string;
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly wave?: 'service' | 'store';
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

const asChild = (name: string, child: ChildProcess, exited: Promise<number | null>): Child => ({
  name,
  pid: child.pid ?? -1,
  exited,
  kill: (signal) => void child.kill(signal),
  stop: async (patienceMs = usualPatienceMs) => {
    child.kill('SIGTERM');
    if (await within(exited, patienceMs)) return;
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

/** Starts a process and keeps it among the children for as long as it lives. */
const startAs = (command: Command, children: Map<Child, Command>, changed: () => unknown): Child => {
  const child = spawned(command);
  const handle = asChild(command.name, child, exitOf(child));
  children.set(handle, command);
  changed();
  void handle.exited.then(() => {
    children.delete(handle);
    changed();
  });
  return handle;
};

/** Services before stores. */
const stopAll = async (children: ReadonlyMap<Child, Command>, patienceMs?: number): Promise<void> => {
  for (const wave of ['service', 'store'] as const) {
    const now = [...children].filter(([, command]) => command.wave === wave);
    await Promise.all(now.map(([child]) => child.stop(patienceMs)));
  }
};

/** Everything a run started: written down in `run.json` as it starts, stopped together, services before stores. */
export const createRun = (dir: string) => {
  const logs = join(dir, 'logs');
  mkdirSync(logs, { recursive: true });
  const children = new Map<Child, Command>();
  const folders: string[] = [];
  let ending: Promise<void> | undefined;
  let stopping = false;
  const write = () => writeRun(dir, { stopping, children: [...children.keys()], folders });
  const leaveLogs = boundLogs(logs);
  const end = async (patienceMs?: number) => {
    stopping = true;
    write();
    await stopAll(children, patienceMs);
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
    logOf: (name: string) => join(logs, `${name}.log`),
    /** A folder outside `dir` that goes when the run goes; at once when the run has stopped already. */
    ownFolder: (folder: string) => {
      if (stopping) removeFolder(folder);
      if (stopping) throw new Error('stopped');
      folders.push(folder);
      write();
    },
    /** Ends all at once; the next run clears what this one leaves on disk. */
    killAll: (): void => killEach(children.keys()),
    /** Whoever asks, and however often: resolves when all has ended. What has not after the patience, of 12 s unless said, is killed. */
    stop: (patienceMs?: number): Promise<void> => (ending ??= end(patienceMs)),
  };
};

/** A run. */
export type Run = ReturnType<typeof createRun>;
